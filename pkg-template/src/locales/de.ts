// The German catalogue.
import type { CompleteCatalogue } from '../text/catalogue.js';

/** German. The texts under `reason.` stay English, because only the model reads them. */
export const de: CompleteCatalogue = {
  locale: 'de',
  messages: {
    'prompt.title': ({ tool, server }) => `${tool} von ${server} erlauben?`,
    'prompt.titleNoServer': ({ tool }) => `${tool} erlauben?`,
    'prompt.name': ({ tool, server }) => `${tool} von ${server}`,
    'prompt.nameNoServer': ({ tool }) => tool,
    'prompt.quotes': '„“',
    'prompt.count': ({ index, total }) => `${index} von ${total}`,
    'prompt.times': ({ n }) => `${n}-mal`,
    'prompt.warning':
      'Was der Assistent liest, etwa eine Seite, eine Datei oder die Antwort eines Tools, kann ihn zu schädlichen Aktionen verleiten. Lesen Sie jede Anfrage, bevor Sie sie erlauben.',
    'prompt.warningAgain': 'Lesen Sie jede Anfrage, bevor Sie sie erlauben.',
    'prompt.summary': ({ waiting }) =>
      waiting.plural({ one: `${waiting} Entscheidung nötig`, other: `${waiting} Entscheidungen nötig` }),
    'prompt.change': ({ field, asked, runs }) => `${field}: ${runs} (verlangt war: ${asked})`,
    'prompt.changeInput': ({ asked, runs }) => `${runs} (verlangt war: ${asked})`,

    'action.deny': 'Ablehnen',
    'action.once': 'Einmal erlauben',
    'action.edit': 'Eingabe ändern',
    'action.onceEdited': 'Mit Änderungen erlauben',
    'action.denyEqual': ({ n }) =>
      n.plural({ one: 'Diesen Aufruf ablehnen', other: `Diese ${n} Aufrufe ablehnen` }),
    'action.allowEqual': ({ n }) =>
      n.plural({ one: 'Diesen Aufruf erlauben', other: `Diese ${n} Aufrufe erlauben` }),
    'action.chatTool': ({ tool }) => `Für diesen Chat erlauben: jeden Aufruf von ${tool}`,
    'action.chatInput': 'Für diesen Chat erlauben: genau diesen Aufruf',
    'action.chatFields': ({ tool, fields }) =>
      `Für diesen Chat erlauben: jeden Aufruf von ${tool} mit diesen Werten für ${fields}`,
    'action.timed': ({ action, duration }) => `${action}, höchstens ${duration}`,
    'action.denyChat': 'Ablehnen und in diesem Chat nicht mehr fragen',
    'action.undo': 'Rückgängig machen',
    'action.undoAll': 'Alles rückgängig machen',
    'action.send': ({ n }) =>
      n.plural({ one: `${n} Entscheidung senden`, other: `${n} Entscheidungen senden` }),
    'action.extend': 'Weiter warten',
    'action.revoke': 'Nicht mehr erlauben',
    'action.revokeDeny': 'Wieder fragen',

    'done.once': 'Einmal erlaubt',
    'done.edited': 'Mit Änderungen erlaubt',
    'done.chat': 'In diesem Chat erlaubt',
    'done.denied': 'Abgelehnt',
    'done.deniedChat': 'In diesem Chat abgelehnt',
    'done.auto': ({ why }) => `Automatisch erlaubt: ${why}`,
    'done.autoDenied': ({ why }) => `Automatisch abgelehnt: ${why}`,
    'done.expired': 'Ohne Antwort abgelaufen. Es wurde nicht ausgeführt.',
    'done.unattended': 'Nicht ausgeführt: Es war niemand da, der antworten konnte.',
    'done.superseded': 'Nicht ausgeführt: Sie haben eine neue Nachricht gesendet.',
    'done.supersededInDoubt':
      'Sie haben eine neue Nachricht gesendet. Ob dies ausgeführt wurde, ist nicht bekannt.',
    'done.elsewhereAllowed': 'Außerhalb dieser Seite erlaubt',
    'done.elsewhereDenied': 'Außerhalb dieser Seite abgelehnt',
    'done.tabAllowed': 'In einem anderen Tab erlaubt',
    'done.tabDenied': 'In einem anderen Tab abgelehnt',
    'done.external': ({ source }) => `Erlaubt von ${source}`,
    'done.externalDenied': ({ source }) => `Abgelehnt von ${source}`,
    'done.rule': 'Von einer Regel erlaubt',
    'done.ruleWhy': ({ note }) => `Von einer Regel erlaubt: ${note}`,
    'done.ruleDenied': 'Von einer Regel abgelehnt. Es wurde nicht ausgeführt.',
    'done.ruleDeniedWhy': ({ note }) => `Von einer Regel abgelehnt: ${note}`,

    'scope.input': 'genau diesen Aufruf in diesem Chat',
    'scope.inputTimed': ({ duration }) => `genau diesen Aufruf in diesem Chat für ${duration}`,
    'scope.tool': ({ tool }) => `jeden Aufruf von ${tool} in diesem Chat`,
    'scope.toolTimed': ({ tool, duration }) => `jeden Aufruf von ${tool} in diesem Chat für ${duration}`,
    'scope.fields': ({ tool, fields }) =>
      `jeden Aufruf von ${tool} mit denselben Werten für ${fields} in diesem Chat`,
    'scope.fieldsTimed': ({ tool, fields, duration }) =>
      `jeden Aufruf von ${tool} mit denselben Werten für ${fields} in diesem Chat für ${duration}`,

    'why.unavailable': 'Dieses Tool gibt es nicht mehr. Der Aufruf kann nur abgelehnt werden.',
    'why.mayHaveRun':
      'Das wurde vielleicht schon ausgeführt. Wenn Sie es noch einmal erlauben, läuft es vielleicht zweimal.',
    'why.server': 'Der Server fragt, bevor er dieses Tool ausführt.',
    'why.reason': ({ reason }) => `Der Server sagt: ${reason}`,
    'why.rule': 'Eine Regel fragt, bevor dieses Tool ausgeführt wird.',
    'why.ruleWhy': ({ note }) => `Eine Regel fragt: ${note}`,
    'why.brokenRules':
      'Die Regeln dieser Seite konnten nicht vollständig gelesen werden, deshalb erlauben sie das nicht.',
    'why.unreadable': 'Die Eingabe kann nicht gelesen werden, deshalb kann keine Regel sie erlauben.',
    'why.hint': 'Der Server sagt, dass dieses Tool etwas zerstören kann.',
    'why.grant': ({ scope }) => `Sie haben ${scope} erlaubt`,
    'why.grantDeny': ({ scope }) => `Sie haben ${scope} abgelehnt`,

    'grant.covers': ({ n }) =>
      `Gilt auch für ${n.plural({ one: `${n} wartenden Aufruf`, other: `${n} wartende Aufrufe` })}`,
    'warn.expiry': ({ time }) => `Noch ${time} bis zum Ablauf. Läuft die Anfrage ab, wird nichts ausgeführt.`,
    'loop.note': ({ n }) => `In diesem Chat ${n}-mal abgelehnt. Den Assistenten stoppen?`,
    'error.late': 'Diese Anfrage ist nicht mehr offen. Es wurde nichts ausgeführt.',
    'error.send':
      'Die Anfrage ist fehlgeschlagen. Die Entscheidungen bleiben erhalten. Versuchen Sie es noch einmal.',

    'queue.label': 'Entscheidungen',
    'queue.reach': ({ keys }) => `Mit ${keys} gelangen Sie dorthin.`,
    'queue.decided': 'Entschieden und noch nicht gesendet',
    'queue.sends': ({ time }) => `Wird gesendet. Noch ${time}.`,
    'queue.rest': 'Entschieden. Wartet auf den Rest dieses Schritts.',
    'queue.held': 'Entschieden. Wird mit Ihrer nächsten Nachricht gesendet.',
    'queue.limit': 'Der Assistent hat zu oft von selbst weitergemacht. Ihre Entscheidungen bleiben erhalten.',
    'queue.history': 'Entschieden, bevor diese Seite geöffnet wurde, und vielleicht nicht gesendet',
    'queue.stopped': 'Gestoppt. Ohne Ihre Antwort wird nichts ausgeführt.',
    'queue.sending': 'Wird gesendet',
    'queue.sent': 'Gesendet',
    'queue.closed': 'Geschlossen',
    'queue.elsewhere': 'In einem anderen Tab beantwortet',
    'queue.unavailable': 'Hier kann nichts entschieden werden: Ein Teil dieser Seite wurde nicht gestartet.',
    'queue.dead': 'Hier kann nichts mehr entschieden werden. Bitte laden Sie die Seite neu.',
    'queue.doubt': 'Die Anfrage brach ab. Was Sie erlaubt haben, wurde vielleicht ausgeführt.',
    'queue.allowed': ({ n }) => `${n} erlaubt`,
    'queue.denied': ({ n }) => `${n} abgelehnt`,
    'queue.expired': ({ n }) => `${n} abgelaufen`,
    'queue.expiring': 'Eine Anfrage läuft bald ab.',
    'queue.dangerous': ({ n }) =>
      `Gefährlich, sagt diese Anwendung. Ein Ja gilt nur für ${n.plural({ one: 'diesen Aufruf', other: `diese ${n} Aufrufe` })}.`,
    'queue.dangerousServer': ({ n }) =>
      `Gefährlich, sagt der Server dieses Tools. Ein Ja gilt nur für ${n.plural({ one: 'diesen Aufruf', other: `diese ${n} Aufrufe` })}.`,
    'queue.dangerousName': ({ n }) =>
      `Sein Name legt nahe, dass es Schaden anrichten kann. Ein Ja gilt nur für ${n.plural({ one: 'diesen Aufruf', other: `diese ${n} Aufrufe` })}.`,
    'queue.soundsDangerous': 'Sein Name legt nahe, dass es Schaden anrichten kann.',
    'queue.readOnly': 'Sein Server sagt, dass es nichts verändert. Geprüft hat das niemand.',
    'queue.host': 'Server',
    'queue.path': 'Pfad',
    'queue.places': ({ n }) => `Und ${n.plural({ one: `${n} weiterer Ort`, other: `${n} weitere Orte` })}.`,
    'queue.input': 'Eingabe',
    'queue.blank': 'leer',
    'queue.noInput': 'Er hat keine Eingabe.',
    'queue.fold': ({ n }) =>
      n.plural({ one: `${n} weiteres Zeichen anzeigen`, other: `${n} weitere Zeichen anzeigen` }),
    'queue.foldFields': ({ n }) =>
      n.plural({ one: `${n} weiteres Feld anzeigen`, other: `${n} weitere Felder anzeigen` }),
    'queue.unfold': 'Weniger anzeigen',
    'queue.hidden': ({ example }) =>
      `Enthält Zeichen, die man nicht sieht. Sie werden so gezeigt: ${example}.`,
    'queue.masked': ({ n }) =>
      n.plural({
        one: `${n} Wert ist verborgen, weil er wie ein Geheimnis aussieht.`,
        other: `${n} Werte sind verborgen, weil sie wie Geheimnisse aussehen.`,
      }),
    'queue.unmask': ({ n }) =>
      n.plural({ one: 'Den verborgenen Wert anzeigen', other: `${n} verborgene Werte anzeigen` }),
    'queue.unshowable':
      'Die Eingabe dieses Aufrufs kann nicht gezeigt werden. Er kann deshalb nur abgelehnt werden.',
    'queue.named': ({ title }) => `Er nennt sich selbst ${title}.`,
    'queue.editWas': 'Verlangt war:',
    'queue.editCancel': 'Änderungen verwerfen',
    'queue.editFailed':
      'Der Editor konnte nicht geladen werden. Versuchen Sie es noch einmal, oder laden Sie die Seite neu.',
    'queue.onlyOneEdited': 'Einen davon mit Änderungen erlauben',

    'queue.previous': 'Zurück',
    'queue.next': 'Weiter',
    'queue.more': 'Weitere Möglichkeiten',
    'queue.onlyOne': 'Einen davon erlauben, die übrigen ablehnen',
    'queue.reason': 'Was der Assistent bei einer Ablehnung erfährt (freiwillig)',
    'queue.early': 'Das kam zu früh und zählt nicht. Bitte noch einmal drücken.',
    'queue.changed': 'Die Anfrage hat sich geändert. Bitte lesen Sie sie noch einmal.',
    'queue.refused': 'Das hat nicht gezählt.',
    'queue.denyAll': ({ n }) => `Alle ${n} ablehnen`,
    'queue.allowAll': ({ n }) => `Alle ${n} einmal erlauben`,
    'queue.retry': 'Noch einmal versuchen',
    'queue.resume': 'Jetzt senden',
    'queue.stop': 'Den Assistenten stoppen',
    'queue.grants': ({ n }) => `Antworten, die länger gelten (${n})`,
    'queue.allowedScope': ({ scope }) => `Erlaubt: ${scope}`,
    'queue.deniedScope': ({ scope }) => `Abgelehnt: ${scope}`,
    'queue.uses': ({ n }) =>
      n.value === 0
        ? 'Noch für keinen anderen Aufruf verwendet.'
        : n.plural({
            one: `Für ${n} weiteren Aufruf verwendet.`,
            other: `Für ${n} weitere Aufrufe verwendet.`,
          }),
    'queue.ends': ({ time }) => `Noch ${time}.`,
    'queue.unsent': 'Noch nicht gesendet.',

    'queue.editNothing': 'Daran kann nichts geändert werden, solange die Werte verborgen sind.',
    'queue.editNow': 'Mit allem, was man nicht sieht:',
    'queue.editNumber': 'Hier muss eine Zahl stehen.',
    'queue.editWhole': 'Hier muss eine ganze Zahl stehen.',
    'queue.editJson': 'Hier muss JSON stehen.',
    'queue.editLeast': ({ n }) => `Das muss mindestens ${n} sein.`,
    'queue.editMost': ({ n }) => `Das darf höchstens ${n} sein.`,
    'queue.editShort': ({ n }) => `Das muss mindestens ${n} Zeichen haben.`,
    'queue.editLong': ({ n }) => `Das darf höchstens ${n} Zeichen haben.`,
    'queue.editForm': 'Das hat nicht die Form, die das Tool erwartet.',
    'queue.editRefused': 'Diese Anwendung nimmt das nicht an.',
    'queue.editWrong': 'Bitte berichtigen Sie, was markiert ist.',
    'queue.editRule': 'Eine Regel lehnt diese Eingabe ab. Ändern Sie sie, oder lehnen Sie den Aufruf ab.',
  },
};
