import { useLayoutEffect, useRef, type FocusEvent } from 'react';

/**
 * Keeps the keyboard where it is: when the focused button of a place goes away, the first element
 * that `next` finds there takes the focus, or the place itself. Nothing takes it from elsewhere.
 */
export function useKeptFocus<E extends HTMLElement>(next?: string) {
  const place = useRef<E>(null);
  const isInside = useRef(false);

  useLayoutEffect(() => {
    const element = place.current;
    if (!isInside.current || !element || element.contains(document.activeElement)) return;
    const successor = next === undefined ? null : element.querySelector<HTMLElement>(next);
    (successor ?? element).focus();
  });

  return {
    ref: place,
    tabIndex: -1,
    onFocus: () => {
      isInside.current = true;
    },
    // React tells of a blur that a person causes, not of one by taking an element away.
    onBlur: (event: FocusEvent<E>) => {
      isInside.current = event.currentTarget.contains(event.relatedTarget);
    },
  };
}
