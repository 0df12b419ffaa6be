// Does everything fit?

/** What is wider than it may be. */
export const overflowing = (scene) =>
  scene.page.evaluate(() => {
    const found = [];
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth > clientWidth) found.push(`the page: ${scrollWidth} in ${clientWidth}`);
    for (const queue of document.querySelectorAll('tool-approval-queue, tool-approval-card')) {
      const outer = queue.getBoundingClientRect();
      for (const element of queue.shadowRoot.querySelectorAll('*')) {
        if (!element.checkVisibility({ visibilityProperty: true })) continue;
        const { left, right, width, height } = element.getBoundingClientRect();
        // What is for assistive technology alone is clipped to a point.
        if (width <= 1 || height <= 1) continue;
        if (element.closest('[class*="unseen"], [class*="hidden"]')) continue;
        const name = element.getAttribute('part') ?? element.localName;
        const { scrollWidth, clientWidth, scrollHeight, clientHeight, localName } = element;
        const scrolls = /auto|scroll/.test(getComputedStyle(element).overflowX) && localName !== 'textarea';
        if (scrolls && (scrollWidth > clientWidth || scrollHeight > clientHeight))
          found.push(`${name} scrolls`);
        if (left < outer.left - 1 || right > outer.right + 1) {
          found.push(
            `${name}: ${Math.round(left)} to ${Math.round(right)} in ${outer.left} to ${outer.right}`,
          );
        }
      }
    }
    return found;
  });

/** Opens everything that can be opened. */
export const openAll = async (scene) => {
  await scene.page.evaluate(() => {
    const elements = [...document.querySelectorAll('tool-approval-queue, tool-approval-card')];
    for (const button of elements.flatMap((element) => [
      ...element.shadowRoot.querySelectorAll('[part~="more"], [part~="fold"], summary'),
    ])) {
      if (
        button.checkVisibility({ visibilityProperty: true }) &&
        button.getAttribute('aria-expanded') !== 'true'
      )
        button.click();
    }
  });
  await scene.drawn();
};
