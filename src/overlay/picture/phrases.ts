/** The few words that an overlay says. `{n}` and `{time}` are filled in; plural forms as `Intl.PluralRules` names them. */
export interface Phrases {
  readonly votes: Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>;
  readonly more: string;
  readonly waiting: string;
  readonly hidden: string;
  readonly hiddenUntil: string;
  readonly closed: string;
  readonly winner: string;
  readonly tie: string;
}

const english: Phrases = {
  votes: { one: '{n} vote', other: '{n} votes' },
  more: 'and {n} more',
  waiting: 'Waiting for the first vote',
  hidden: 'Results come later',
  hiddenUntil: 'Results at {time}',
  closed: 'Final result',
  winner: 'Winner',
  tie: 'Tie',
};

const byLanguage: Readonly<Record<string, Phrases>> = {
  en: english,
  de: phrases(
    { one: '{n} Stimme', other: '{n} Stimmen' },
    'und {n} weitere',
    'Noch keine Stimme',
    'Ergebnis folgt später',
    'Ergebnis um {time}',
    'Endergebnis',
    'Gewonnen',
    'Gleichstand',
  ),
  fr: phrases(
    { one: '{n} vote', other: '{n} votes' },
    'et {n} de plus',
    'En attente du premier vote',
    'Résultats plus tard',
    'Résultats à {time}',
    'Résultat final',
    'Gagnant',
    'Égalité',
  ),
  es: phrases(
    { one: '{n} voto', other: '{n} votos' },
    'y {n} más',
    'Esperando el primer voto',
    'Resultados más tarde',
    'Resultados a las {time}',
    'Resultado final',
    'Ganador',
    'Empate',
  ),
  it: phrases(
    { one: '{n} voto', other: '{n} voti' },
    'e altri {n}',
    'In attesa del primo voto',
    'Risultati più tardi',
    'Risultati alle {time}',
    'Risultato finale',
    'Vincitore',
    'Parità',
  ),
  pt: phrases(
    { one: '{n} voto', other: '{n} votos' },
    'e mais {n}',
    'À espera do primeiro voto',
    'Resultados mais tarde',
    'Resultados às {time}',
    'Resultado final',
    'Vencedor',
    'Empate',
  ),
  nl: phrases(
    { one: '{n} stem', other: '{n} stemmen' },
    'en nog {n}',
    'Wachten op de eerste stem',
    'Uitslag volgt later',
    'Uitslag om {time}',
    'Einduitslag',
    'Winnaar',
    'Gelijk',
  ),
  sv: phrases(
    { one: '{n} röst', other: '{n} röster' },
    'och {n} till',
    'Väntar på första rösten',
    'Resultatet kommer senare',
    'Resultat kl. {time}',
    'Slutresultat',
    'Vinnare',
    'Oavgjort',
  ),
  pl: phrases(
    { one: '{n} głos', few: '{n} głosy', other: '{n} głosów' },
    'i jeszcze {n}',
    'Czekamy na pierwszy głos',
    'Wyniki później',
    'Wyniki o {time}',
    'Wynik końcowy',
    'Zwycięzca',
    'Remis',
  ),
  uk: phrases(
    { one: '{n} голос', few: '{n} голоси', other: '{n} голосів' },
    'і ще {n}',
    'Чекаємо на перший голос',
    'Результати згодом',
    'Результати о {time}',
    'Остаточний результат',
    'Перемога',
    'Нічия',
  ),
  ar: phrases(
    { one: 'صوت واحد', two: 'صوتان', few: '{n} أصوات', other: '{n} صوتًا' },
    'و{n} غيرها',
    'في انتظار أول صوت',
    'النتائج لاحقًا',
    'النتائج عند {time}',
    'النتيجة النهائية',
    'الفائز',
    'تعادل',
  ),
  he: phrases(
    { one: 'קול אחד', other: '{n} קולות' },
    'ועוד {n}',
    'ממתינים לקול הראשון',
    'התוצאות בהמשך',
    'תוצאות בשעה {time}',
    'תוצאה סופית',
    'מנצח',
    'תיקו',
  ),
  ja: phrases(
    { other: '{n}票' },
    'ほか{n}件',
    '最初の投票を待っています',
    '結果は後ほど',
    '{time}に結果発表',
    '最終結果',
    '1位',
    '同点',
  ),
  zh: phrases(
    { other: '{n} 票' },
    '另有 {n} 项',
    '等待第一票',
    '结果稍后公布',
    '{time} 公布结果',
    '最终结果',
    '胜出',
    '平局',
  ),
};

/** The words for a BCP 47 tag; English where the language is not among them. */
export function phrasesFor(language: string): Phrases {
  return byLanguage[baseLanguage(language)] ?? english;
}

export const translatedLanguages: readonly string[] = Object.keys(byLanguage);

const RIGHT_TO_LEFT = ['ar', 'fa', 'he', 'ps', 'sd', 'ug', 'ur', 'yi'];

export function directionOf(language: string): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.includes(baseLanguage(language)) ? 'rtl' : 'ltr';
}

const LETTER = /\p{L}/u;
const RIGHT_TO_LEFT_LETTER =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;

/** The direction in which a text is read, by its first letter; undefined without one. */
export function directionOfText(text: string): 'ltr' | 'rtl' | undefined {
  const letter = LETTER.exec(text)?.[0];
  if (letter === undefined) return undefined;
  return RIGHT_TO_LEFT_LETTER.test(letter) ? 'rtl' : 'ltr';
}

function baseLanguage(language: string): string {
  return language.split('-')[0]?.toLowerCase() ?? '';
}

function phrases(
  votes: Phrases['votes'],
  more: string,
  waiting: string,
  hidden: string,
  hiddenUntil: string,
  closed: string,
  winner: string,
  tie: string,
): Phrases {
  return { votes, more, waiting, hidden, hiddenUntil, closed, winner, tie };
}
