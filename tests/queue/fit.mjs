// Does everything fit?

/** What is wider than it may be. */
export const overflowing = (scene) =>
  scene.page.evaluate(() => {
    const found = [];
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth > clientWidth) found.push(`the page: ${scrollWidth} in ${clientWidth}`);
    for (const { queue } of stage.scenes) {
      const outer = queue.getBoundingClientRect();
      for (const element of queue.shadowRoot.querySelectorAll('*')) {
        if (!element.checkVisibility({ visibilityProperty: true })) continue;
        const { left, right, width, height } = element.getBoundingClientRect();
        // What is for assistive technology alone is clipped to a point.
        if (width <= 1 || height <= 1) continue;
        if (element.closest('[class*="unseen"], [class*="hidden"]')) continue;
        // What scrolls by itself holds what is wider than it.
        let scroller = element.parentElement;
        while (scroller && !/auto|scroll/.test(getComputedStyle(scroller).overflowX))
          scroller = scroller.parentElement;
        if (scroller) continue;
        if (left < outer.left - 1 || right > outer.right + 1) {
          const name = element.getAttribute('part') ?? element.localName;
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
    for (const button of stage.scene.queue.shadowRoot.querySelectorAll(
      '[part~="more"], [part~="fold"], summary',
    )) {
      if (
        button.checkVisibility({ visibilityProperty: true }) &&
        button.getAttribute('aria-expanded') !== 'true'
      )
        button.click();
    }
  });
  await scene.drawn();
};
