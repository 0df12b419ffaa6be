'use client';

import { useEffect, useState } from 'react';

import { answer } from '../answer.js';

export default function Page() {
  const [value, setValue] = useState();
  useEffect(() => {
    answer().then(setValue);
  }, []);
  return <pre id="answer">{value && JSON.stringify(value)}</pre>;
}
