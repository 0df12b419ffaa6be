/**
 * The texts of the queue that the guard's own catalogue does not have. A catalogue may contain these ids;
 * missing ones are shown in English.
 */
export const ENGLISH = {
  'queue.label': 'Decisions',
  'queue.reach': 'Press {keys} to go there.',

  'queue.decided': 'Decided, but not sent yet',
  'queue.sends': 'Sends in {time}.',
  'queue.rest': 'Decided. Waiting for the rest of this step.',
  'queue.held': 'Decided. Your next message sends it.',
  'queue.limit': 'The assistant has continued by itself too often. Your decisions are kept.',
  'queue.history': 'Decided before this page was opened, and perhaps not sent',
  'queue.stopped': 'Stopped. Nothing runs unless you answer.',
  'queue.sending': 'Sending',
  'queue.sent': 'Sent',
  'queue.closed': 'Closed',
  'queue.elsewhere': 'Answered in another tab',
  'queue.unavailable': 'Nothing can be decided here: a part of this page did not start.',
  'queue.dead': 'Nothing can be decided here any more. Please reload the page.',
  'queue.doubt': 'The request was interrupted. What you allowed may have run.',
  'queue.allowed': '{n, plural, other {# allowed}}',
  'queue.denied': '{n, plural, other {# denied}}',
  'queue.expired': '{n, plural, other {# expired}}',
  'queue.expiring': 'A request expires soon.',

  'queue.dangerous':
    'Dangerous, according to this application. Allowing it covers only {n, plural, one {this call} other {these # calls}}.',
  'queue.dangerousServer':
    'Dangerous, according to the server of this tool. Allowing it covers only {n, plural, one {this call} other {these # calls}}.',
  'queue.dangerousName':
    'Its name suggests that it may do harm. Allowing it covers only {n, plural, one {this call} other {these # calls}}.',
  'queue.soundsDangerous': 'Its name suggests that it may do harm.',
  'queue.readOnly': 'Its server says that it changes nothing. Nobody has checked that.',
  'queue.host': 'Host',
  'queue.path': 'Path',
  'queue.places': 'And {n, plural, one {# more place} other {# more places}}.',
  'queue.input': 'Input',
  'queue.blank': 'empty',
  'queue.noInput': 'It has no input.',
  'queue.fold': 'Show {n, plural, one {# more character} other {# more characters}}',
  'queue.foldFields': 'Show {n, plural, one {# more field} other {# more fields}}',
  'queue.unfold': 'Show less',
  'queue.hidden': 'Contains invisible characters. They are shown as {example}.',
  'queue.masked':
    '{n, plural, one {# value is hidden because it looks like a secret.} other {# values are hidden because they look like secrets.}}',
  'queue.unmask': 'Show {n, plural, one {the hidden value} other {# hidden values}}',
  'queue.unshowable': 'The input of this call cannot be shown, so it can only be denied.',
  'queue.named': 'It calls itself {title}.',

  'queue.previous': 'Previous',
  'queue.next': 'Next',
  'queue.more': 'More choices',
  'queue.onlyOne': 'Allow one of them, deny the rest',
  'queue.reason': 'Reason to give the assistant if you deny (optional)',
  'queue.early': 'That came too soon to count. Please press again.',
  'queue.changed': 'The request has changed. Please read it again.',
  'queue.refused': 'That did not count.',
  'queue.denyAll': 'Deny all {n}',
  'queue.allowAll': 'Allow all {n} once',
  'queue.retry': 'Try again',
  'queue.resume': 'Send now',
  'queue.stop': 'Stop the assistant',

  'queue.grants': 'Lasting decisions ({n})',
  'queue.allowedScope': 'Allowed: {scope}',
  'queue.deniedScope': 'Denied: {scope}',
  'queue.uses':
    '{n, plural, =0 {Not used for other calls yet.} one {Used for # more call.} other {Used for # more calls.}}',
  'queue.ends': 'Ends in {time}.',
  'queue.unsent': 'Not sent yet.',
} as const;

export type QueueMessageId = keyof typeof ENGLISH;
