import type { ShowPhrases } from '../en/show.ts';

export const show: ShowPhrases = {
  soon: { title: 'ההצבעה הבאה תיפתח בקרוב', text: 'היא תופיע כאן מעצמה. השאירו את הדף פתוח.' },
  reload: 'רעננו את הדף מדי פעם כדי לראות אותה.',
  toVote: 'להצבעה שפתוחה עכשיו',
  next: { title: 'ההצבעה הבאה נפתחה', text: 'סיימו קודם כאן, או המשיכו הלאה.', go: 'להצבעה הבאה' },
};
