import type { Catalogue, MessageId } from '../words.js';

/** German. The texts under `reason.` stay English: they are read by the model, and by no person. */
export const de: Catalogue = {
  locale: 'de',
  messages: {
    'prompt.title': '{tool} von {server} erlauben?',
    'prompt.titleNoServer': '{tool} erlauben?',
    'prompt.count': '{index} von {total}',
    'prompt.summary': '{waiting, plural, one {# Entscheidung nötig} other {# Entscheidungen nötig}}',

    'action.deny': 'Ablehnen',
    'action.once': 'Einmal erlauben',
    'action.chatTool': 'Jeden Aufruf von {tool} in diesem Chat erlauben',
    'action.chatInput': 'Genau diesen Aufruf in diesem Chat auch künftig erlauben',
    'action.chatFields': 'Jeden Aufruf von {tool} mit diesen Werten für {fields} in diesem Chat erlauben',
    'action.timed': '{action}, für {duration}',
    'action.denyChat': 'Ablehnen und in diesem Chat nicht mehr fragen',
    'action.undo': 'Rückgängig machen',
    'action.undoAll': 'Alles rückgängig machen',
    'action.send': '{n, plural, one {# Entscheidung senden} other {# Entscheidungen senden}}',
    'action.extend': 'Weiter warten',
    'action.revoke': 'Nicht mehr erlauben',
    'action.revokeDeny': 'Wieder fragen',

    'done.once': 'Einmal erlaubt',
    'done.chat': 'In diesem Chat erlaubt',
    'done.denied': 'Abgelehnt',
    'done.deniedChat': 'In diesem Chat abgelehnt',
    'done.auto': 'Automatisch erlaubt: {why}',
    'done.autoDenied': 'Automatisch abgelehnt: {why}',
    'done.expired': 'Ohne Antwort abgelaufen. Es wurde nicht ausgeführt.',
    'done.unattended': 'Nicht ausgeführt: Es war niemand da, der antworten konnte.',
    'done.superseded': 'Nicht ausgeführt: Sie haben eine neue Nachricht gesendet.',
    'done.elsewhereAllowed': 'Außerhalb dieser Seite erlaubt',
    'done.elsewhereDenied': 'Außerhalb dieser Seite abgelehnt',

    'scope.input': 'genau diesen Aufruf in diesem Chat',
    'scope.inputTimed': 'genau diesen Aufruf in diesem Chat für {duration}',
    'scope.tool': 'jeden Aufruf von {tool} in diesem Chat',
    'scope.toolTimed': 'jeden Aufruf von {tool} in diesem Chat für {duration}',
    'scope.fields': 'jeden Aufruf von {tool} mit denselben Werten für {fields} in diesem Chat',
    'scope.fieldsTimed':
      'jeden Aufruf von {tool} mit denselben Werten für {fields} in diesem Chat für {duration}',

    'why.server': 'Der Server fragt, bevor er dieses Tool ausführt.',
    'why.reason': 'Der Server sagt: {reason}',
    'why.grant': 'Sie haben {scope} erlaubt',
    'why.grantDeny': 'Sie haben {scope} abgelehnt',

    'grant.covers': 'Gilt auch für {n, plural, one {# wartenden Aufruf} other {# wartende Aufrufe}}',
    'warn.expiry': 'Noch {time} bis zum Ablauf. Läuft die Anfrage ab, wird nichts ausgeführt.',
    'loop.note': 'In diesem Chat {n}-mal abgelehnt. Den Assistenten stoppen?',
    'error.late': 'Diese Anfrage ist nicht mehr offen. Es wurde nichts ausgeführt.',
    'error.send':
      'Ihre Entscheidungen wurden nicht gesendet. Sie bleiben erhalten. Versuchen Sie es noch einmal.',
  } satisfies Record<Exclude<MessageId, `reason.${string}`>, string>,
};
