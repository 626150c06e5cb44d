/** What only the widget says; the rest of its words are the overlay's. */
export interface WidgetPhrases {
  /** Deleted, refused, or never there: a reader of the page needs no more than that. */
  readonly gone: string;
  /** Beside figures that may be old. */
  readonly away: string;
}

const english: WidgetPhrases = { gone: 'This poll is not available', away: 'Not live right now' };

const byLanguage: Readonly<Record<string, WidgetPhrases>> = {
  de: { gone: 'Diese Umfrage ist nicht verfügbar', away: 'Gerade nicht live' },
  fr: { gone: 'Ce sondage n’est pas disponible', away: 'Pas en direct pour le moment' },
  es: { gone: 'Esta encuesta no está disponible', away: 'Ahora mismo no en directo' },
  it: { gone: 'Questo sondaggio non è disponibile', away: 'Al momento non in diretta' },
  pt: { gone: 'Esta sondagem não está disponível', away: 'De momento não em direto' },
  nl: { gone: 'Deze poll is niet beschikbaar', away: 'Nu even niet live' },
  sv: { gone: 'Omröstningen är inte tillgänglig', away: 'Inte live just nu' },
  pl: { gone: 'Ta ankieta jest niedostępna', away: 'Chwilowo nie na żywo' },
  uk: { gone: 'Це опитування недоступне', away: 'Зараз не наживо' },
  ar: { gone: 'هذا الاستطلاع غير متاح', away: 'ليس مباشرًا الآن' },
  he: { gone: 'הסקר אינו זמין', away: 'לא בשידור חי כרגע' },
  ja: { gone: 'この投票は利用できません', away: '現在ライブではありません' },
  ko: { gone: '이 투표를 볼 수 없습니다', away: '지금은 실시간이 아닙니다' },
  hi: { gone: 'यह मतदान उपलब्ध नहीं है', away: 'अभी लाइव नहीं' },
  tr: { gone: 'Bu oylama kullanılamıyor', away: 'Şu anda canlı değil' },
  zh: { gone: '该投票不可用', away: '当前非实时' },
};

/** @param language BCP 47; English where it is not among ours */
export function widgetPhrases(language: string): WidgetPhrases {
  return byLanguage[language.split('-')[0]?.toLowerCase() ?? ''] ?? english;
}
