/** The verdict of a guard about these messages, after it was told about them. */
export function explained(guard, messages) {
  guard.observe(messages);
  return guard.explain();
}
