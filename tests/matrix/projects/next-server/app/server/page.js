import { answer } from '../../answer.js';

export const dynamic = 'force-dynamic';

export default async function Page() {
  return <pre id="answer">{JSON.stringify(await answer())}</pre>;
}
