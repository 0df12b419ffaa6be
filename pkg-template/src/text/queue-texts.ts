// The English messages of the queue, which only its element brings.
import type { Values } from './message.js';

export const QUEUE = {
  'queue.label': 'Decisions',
  'queue.reach': ({ keys }: Values<'keys'>) => `Press ${keys} to go there.`,

  'queue.decided': 'Decided, but not sent yet',
  'queue.sends': ({ time }: Values<'time'>) => `Sends in ${time}.`,
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
  'queue.allowed': ({ n }: Values<'n'>) => `${n} allowed`,
  'queue.denied': ({ n }: Values<'n'>) => `${n} denied`,
  'queue.expired': ({ n }: Values<'n'>) => `${n} expired`,
  'queue.expiring': 'A request expires soon.',

  'queue.dangerous': ({ n }: Values<'n'>) =>
    `Dangerous, according to this application. Allowing it covers only ${n.plural({ one: 'this call', other: `these ${n} calls` })}.`,
  'queue.dangerousServer': ({ n }: Values<'n'>) =>
    `Dangerous, according to the server of this tool. Allowing it covers only ${n.plural({ one: 'this call', other: `these ${n} calls` })}.`,
  'queue.dangerousName': ({ n }: Values<'n'>) =>
    `Its name suggests that it may do harm. Allowing it covers only ${n.plural({ one: 'this call', other: `these ${n} calls` })}.`,
  'queue.soundsDangerous': 'Its name suggests that it may do harm.',
  'queue.readOnly': 'Its server says that it changes nothing. Nobody has checked that.',
  'queue.host': 'Host',
  'queue.path': 'Path',
  'queue.places': ({ n }: Values<'n'>) =>
    `And ${n.plural({ one: `${n} more place`, other: `${n} more places` })}.`,
  'queue.input': 'Input',
  'queue.blank': 'empty',
  'queue.noInput': 'It has no input.',
  'queue.fold': ({ n }: Values<'n'>) =>
    `Show ${n.plural({ one: `${n} more character`, other: `${n} more characters` })}`,
  'queue.foldFields': ({ n }: Values<'n'>) =>
    `Show ${n.plural({ one: `${n} more field`, other: `${n} more fields` })}`,
  'queue.unfold': 'Show less',
  'queue.hidden': ({ example }: Values<'example'>) =>
    `Contains invisible characters. They are shown as ${example}.`,
  'queue.masked': ({ n }: Values<'n'>) =>
    n.plural({
      one: `${n} value is hidden because it looks like a secret.`,
      other: `${n} values are hidden because they look like secrets.`,
    }),
  'queue.unmask': ({ n }: Values<'n'>) =>
    `Show ${n.plural({ one: 'the hidden value', other: `${n} hidden values` })}`,
  'queue.unshowable': 'The input of this call cannot be shown, so it can only be denied.',
  'queue.named': ({ title }: Values<'title'>) => `It calls itself ${title}.`,

  'queue.editWas': 'Asked for:',
  'queue.editCancel': 'Discard the changes',
  'queue.editFailed': 'The editor could not be loaded. Try again, or reload the page.',
  'queue.onlyOneEdited': 'Allow one of them with changes',

  'queue.previous': 'Previous',
  'queue.next': 'Next',
  'queue.more': 'More choices',
  'queue.onlyOne': 'Allow one of them, deny the rest',
  'queue.reason': 'Reason to give the assistant if you deny (optional)',
  'queue.early': 'That came too soon to count. Please press again.',
  'queue.changed': 'The request has changed. Please read it again.',
  'queue.refused': 'That did not count.',
  'queue.denyAll': ({ n }: Values<'n'>) => `Deny all ${n}`,
  'queue.allowAll': ({ n }: Values<'n'>) => `Allow all ${n} once`,
  'queue.retry': 'Try again',
  'queue.resume': 'Send now',
  'queue.stop': 'Stop the assistant',

  'queue.grants': ({ n }: Values<'n'>) => `Lasting decisions (${n})`,
  'queue.allowedScope': ({ scope }: Values<'scope'>) => `Allowed: ${scope}`,
  'queue.deniedScope': ({ scope }: Values<'scope'>) => `Denied: ${scope}`,
  'queue.uses': ({ n }: Values<'n'>) =>
    n.value === 0
      ? 'Not used for other calls yet.'
      : n.plural({ one: `Used for ${n} more call.`, other: `Used for ${n} more calls.` }),
  'queue.ends': ({ time }: Values<'time'>) => `Ends in ${time}.`,
  'queue.unsent': 'Not sent yet.',
} as const;
