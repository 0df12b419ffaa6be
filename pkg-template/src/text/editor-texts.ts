// The English messages of the editor of a card, which come with it.
import type { Values } from './message.js';

export const EDITOR = {
  'queue.editNothing': 'Nothing in it can be changed while its values are hidden.',
  'queue.editNow': 'With everything written out:',
  'queue.editNumber': 'This has to be a number.',
  'queue.editWhole': 'This has to be a whole number.',
  'queue.editJson': 'This has to be JSON.',
  'queue.editLeast': ({ n }: Values<'n'>) => `This has to be at least ${n}.`,
  'queue.editMost': ({ n }: Values<'n'>) => `This can be at most ${n}.`,
  'queue.editShort': ({ n }: Values<'n'>) =>
    n.plural({ one: `This needs at least ${n} character.`, other: `This needs at least ${n} characters.` }),
  'queue.editLong': ({ n }: Values<'n'>) =>
    n.plural({
      one: `This can have at most ${n} character.`,
      other: `This can have at most ${n} characters.`,
    }),
  'queue.editForm': 'This does not have the form that the tool expects.',
  'queue.editRefused': 'This application does not accept it.',
  'queue.editWrong': 'Please correct what is marked.',
  'queue.editRule': 'A rule denies this input. Change it, or deny the call.',
} as const;
