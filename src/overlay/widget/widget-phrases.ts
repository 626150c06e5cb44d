/** What only the widget says; the rest of its words are the overlay's. */
export interface WidgetPhrases {
  /** Deleted, refused, or never there: a reader of the page needs no more than that. */
  readonly gone: string;
  /** Beside figures that may be old. */
  readonly away: string;
  /** Leads to where one votes. */
  readonly vote: string;
}

const english: WidgetPhrases = {
  gone: 'This poll is not available',
  away: 'Not live right now',
  vote: 'Vote',
};

const byLanguage: Readonly<Record<string, WidgetPhrases>> = {
  de: { gone: 'Diese Umfrage ist nicht verfügbar', away: 'Gerade nicht live', vote: 'Abstimmen' },
  fr: { gone: 'Ce sondage n’est pas disponible', away: 'Pas en direct pour le moment', vote: 'Voter' },
  es: { gone: 'Esta encuesta no está disponible', away: 'Ahora mismo no en directo', vote: 'Votar' },
  it: { gone: 'Questo sondaggio non è disponibile', away: 'Al momento non in diretta', vote: 'Vota' },
  pt: { gone: 'Esta sondagem não está disponível', away: 'De momento não em direto', vote: 'Votar' },
  nl: { gone: 'Deze poll is niet beschikbaar', away: 'Nu even niet live', vote: 'Stemmen' },
  sv: { gone: 'Omröstningen är inte tillgänglig', away: 'Inte live just nu', vote: 'Rösta' },
  pl: { gone: 'Ta ankieta jest niedostępna', away: 'Chwilowo nie na żywo', vote: 'Zagłosuj' },
  uk: { gone: 'Це опитування недоступне', away: 'Зараз не наживо', vote: 'Голосувати' },
  ar: { gone: 'هذا الاستطلاع غير متاح', away: 'ليس مباشرًا الآن', vote: 'صوّت' },
  he: { gone: 'הסקר אינו זמין', away: 'לא בשידור חי כרגע', vote: 'הצביעו' },
  ja: { gone: 'この投票は利用できません', away: '現在ライブではありません', vote: '投票する' },
  ko: { gone: '이 투표를 볼 수 없습니다', away: '지금은 실시간이 아닙니다', vote: '투표하기' },
  hi: { gone: 'यह मतदान उपलब्ध नहीं है', away: 'अभी लाइव नहीं', vote: 'वोट दें' },
  tr: { gone: 'Bu oylama kullanılamıyor', away: 'Şu anda canlı değil', vote: 'Oy ver' },
  zh: { gone: '该投票不可用', away: '当前非实时', vote: '投票' },
};

/** @param language BCP 47; English where it is not among ours */
export function widgetPhrases(language: string): WidgetPhrases {
  return byLanguage[language.split('-')[0]?.toLowerCase() ?? ''] ?? english;
}
