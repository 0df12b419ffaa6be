import type { Catalogue, MessageId } from '../words.js';

/**
 * Arabic, written from right to left. The texts under `reason.` stay English: they are read by the
 * model, and by no person. Times stand after a colon, because what `Intl` says is in the nominative.
 */
export const ar: Catalogue = {
  locale: 'ar',
  messages: {
    'prompt.title': 'السماح بتشغيل {tool} من {server}؟',
    'prompt.titleNoServer': 'السماح بتشغيل {tool}؟',
    'prompt.count': '{index} من {total}',
    'prompt.summary':
      '{waiting, plural, zero {لا قرارات مطلوبة} one {قرار واحد مطلوب} two {قراران مطلوبان} few {# قرارات مطلوبة} many {# قرارًا مطلوبًا} other {# قرار مطلوب}}',

    'action.deny': 'رفض',
    'action.once': 'السماح مرة واحدة',
    'action.chatTool': 'السماح بكل استدعاء للأداة {tool} في هذه المحادثة',
    'action.chatInput': 'السماح بهذا الاستدعاء بعينه مرة أخرى في هذه المحادثة',
    'action.chatFields': 'السماح بكل استدعاء للأداة {tool} بقيم {fields} هذه في هذه المحادثة',
    'action.timed': '{action} (المدة: {duration})',
    'action.denyChat': 'الرفض وعدم السؤال مجددًا في هذه المحادثة',
    'action.undo': 'تراجع',
    'action.undoAll': 'التراجع عن الكل',
    'action.send':
      '{n, plural, zero {لا قرارات لإرسالها} one {إرسال قرار واحد} two {إرسال قرارين} few {إرسال # قرارات} many {إرسال # قرارًا} other {إرسال # قرار}}',
    'action.extend': 'الاستمرار في الانتظار',
    'action.revoke': 'إلغاء السماح',
    'action.revokeDeny': 'السؤال من جديد',

    'done.once': 'سُمح به مرة واحدة',
    'done.chat': 'سُمح به في هذه المحادثة',
    'done.denied': 'رُفض',
    'done.deniedChat': 'رُفض في هذه المحادثة',
    'done.auto': 'سُمح به تلقائيًا: {why}',
    'done.autoDenied': 'رُفض تلقائيًا: {why}',
    'done.expired': 'انتهت المهلة دون رد. لم يُشغَّل.',
    'done.unattended': 'لم يُشغَّل: لم يكن هناك أحد للرد.',
    'done.superseded': 'لم يُشغَّل: لقد أرسلت رسالة جديدة.',
    'done.elsewhereAllowed': 'سُمح به خارج هذه الصفحة',
    'done.elsewhereDenied': 'رُفض خارج هذه الصفحة',

    'scope.input': 'هذا الاستدعاء بعينه، في هذه المحادثة',
    'scope.inputTimed': 'هذا الاستدعاء بعينه، في هذه المحادثة (المدة: {duration})',
    'scope.tool': 'كل استدعاء للأداة {tool}، في هذه المحادثة',
    'scope.toolTimed': 'كل استدعاء للأداة {tool}، في هذه المحادثة (المدة: {duration})',
    'scope.fields': 'كل استدعاء للأداة {tool} بقيم {fields} نفسها، في هذه المحادثة',
    'scope.fieldsTimed': 'كل استدعاء للأداة {tool} بقيم {fields} نفسها، في هذه المحادثة (المدة: {duration})',

    'why.server': 'يطلب الخادم الإذن قبل تشغيل هذه الأداة.',
    'why.reason': 'يقول الخادم: {reason}',
    'why.grant': 'سبق أن سمحت بما يلي: {scope}',
    'why.grantDeny': 'سبق أن رفضت ما يلي: {scope}',

    'grant.covers':
      '{n, plural, zero {لا يشمل أي استدعاء آخر قيد الانتظار} one {يشمل أيضًا استدعاءً واحدًا قيد الانتظار} two {يشمل أيضًا استدعاءين قيد الانتظار} few {يشمل أيضًا # استدعاءات قيد الانتظار} many {يشمل أيضًا # استدعاءً قيد الانتظار} other {يشمل أيضًا # استدعاء قيد الانتظار}}',
    'warn.expiry': 'الوقت المتبقي: {time}. لن يُشغَّل شيء إذا انتهت المهلة.',
    'loop.note':
      '{n, plural, zero {لم يُرفض} one {رُفض مرة واحدة} two {رُفض مرتين} few {رُفض # مرات} many {رُفض # مرة} other {رُفض # مرة}} في هذه المحادثة. هل تريد إيقاف المساعد؟',
    'error.late': 'لم يعد هذا الطلب مفتوحًا. لم يُشغَّل شيء.',
    'error.send': 'لم تُرسَل قراراتك، وهي محفوظة. يُرجى المحاولة مرة أخرى.',
  } satisfies Record<Exclude<MessageId, `reason.${string}`>, string>,
};
