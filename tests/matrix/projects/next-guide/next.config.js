/** As in a new app. With it, a page that waits for its request outside of a boundary does not build. */
export default { cacheComponents: true, partialPrefetching: true };
