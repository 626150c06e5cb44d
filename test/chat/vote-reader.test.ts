import { describe, expect, it } from 'vitest';
import { voteReader } from '../../src/chat/vote-reader.ts';
import { type Poll, type PollSettings, pollSettings } from '../../src/poll/poll.ts';

function poll(texts: readonly string[], settings: Partial<PollSettings> = {}, firstLetter = 0): Poll {
  return {
    id: 'zW1Fiu5hZoAA',
    title: 'Which?',
    description: '',
    answers: texts.map((text, index) => ({ id: `${index + 1}`, text })),
    settings: pollSettings(settings),
    image: null,
    createdAtMs: 0,
    firstLetter,
  };
}

const AGAIN = '\u{E0000}';

interface Language {
  readonly answers: readonly string[];
  /** Messages, by the number of the answer that they vote for. */
  readonly votes: Readonly<Record<string, readonly string[]>>;
  readonly others: readonly string[];
}

/** Ten languages with ten votes and ten other messages each. */
const TABLE: Readonly<Record<string, Language>> = {
  English: {
    answers: ['Waterloo', 'Rock ’n’ roll', 'The winner takes it all'],
    votes: {
      1: ['1', ' 1 ', '!1', 'WATERLOO', `1 ${AGAIN}`, '!vote 1'],
      2: ['#2', '!VOTE 2'],
      3: ['3 🔥🔥', 'the winner  takes it all 🎉'],
    },
    others: [
      ...['I think 2 is best', '2 minutes left', 'lol 1', '10', '0', '4', '1 2', 'Waterloo is the best'],
      ...['@host 2', '1?'],
    ],
  },
  German: {
    answers: ['Käse', 'Straße', 'Übermut'],
    votes: {
      1: ['käse', 'KÄSE', 'kase', '１', '1️⃣'],
      2: ['STRASSE', 'straße ❤️', '!vote straße'],
      3: ['übermut', 'UBERMUT'],
    },
    others: [
      ...['ich nehme die 2', 'Käse?', 'käse straße', 'nummer 1', '1?', '2,5', 'um 3 gehts los', '33'],
      ...['Strasse 2', '!votes 1'],
    ],
  },
  French: {
    answers: ['Ça plane pour moi', 'Été', 'Garçon'],
    votes: {
      1: ['ca plane pour moi', 'ÇA PLANE POUR MOI 🎸', '#1', '①'],
      2: ['ete', 'ÉTÉ', 'e\u0301te\u0301'],
      3: ['garcon', '3️⃣', 'Garçon\u200B'],
    },
    others: [
      ...[
        'je vote 1',
        'le 2 svp',
        '2 fois',
        'ça plane',
        'été garçon',
        '1er',
        '1ère',
        'vote 3',
        'c’est 1',
        '1/2',
      ],
    ],
  },
  Spanish: {
    answers: ['Sí', 'No', 'Mañana'],
    votes: {
      1: ['si', 'SÍ', 'sí 👍🏽', '1\u3164'],
      2: ['no', 'NO', ' 2'],
      3: ['manana', 'mañana', '!3 🇪🇸'],
    },
    others: [...['sí no', 'no sí', 'claro que sí', 'no 2', 'el 1', '1 o 2', '3x', 'x3', 'mañana 3', '¿2?']],
  },
  Turkish: {
    answers: ['Işık', 'İstanbul', 'Şeker'],
    votes: {
      1: ['ışık', 'IŞIK', 'isik', '1'],
      2: ['istanbul', 'İSTANBUL', '!vote 2'],
      3: ['seker', 'ŞEKER 😂', '#3'],
    },
    others: [
      ...[
        'bence 1',
        '1 olsun',
        'istanbul güzel',
        'şeker mi',
        '2. olsun',
        '3 numara',
        '5',
        '-1',
        '+1',
        '1 numara',
      ],
    ],
  },
  Russian: {
    answers: ['Ёлка', 'Москва', 'Чай'],
    votes: {
      1: ['елка', 'ЁЛКА', '1', '!1'],
      2: ['москва', 'МОСКВА 🔥', '2 \u{E0020}'],
      3: ['чай', 'Чаи\u0306', '!vote3'],
    },
    others: [
      ...[
        'голосую за 1',
        'за 2',
        '3 штуки',
        'москва лучше',
        'чай или ёлка',
        '2-й',
        '1?',
        '12',
        '№2',
        'я за 3',
      ],
    ],
  },
  Arabic: {
    answers: ['نعم', 'لا', 'رُبَّما'],
    votes: {
      1: ['نعم', '١', '!١', '1'],
      2: ['٢', 'لا', '#٢', '\u200F٢\u200E'],
      3: ['ربما', '۳'],
    },
    others: [...['أنا مع ١', 'نعم لا', '٤', '١٢', 'لا أعرف', '٢؟', 'رقم ٢', 'ربما ٣', 'مرحبا', '٠']],
  },
  Hindi: {
    answers: ['हाँ', 'नहीं', 'पता नहीं'],
    votes: {
      1: ['१', 'हाँ', '!1'],
      2: ['२', 'नहीं', '#२', '2 🙏'],
      3: ['पता  नहीं', '३', '!vote ३'],
    },
    others: [...['मेरा वोट 1', '1 बढ़िया', 'हाँ नहीं', 'नही', 'हा', '४', '१२', 'नहीं 2', '2 बार', 'क्या 3']],
  },
  Japanese: {
    answers: ['はい', 'いいえ', 'ラーメン'],
    votes: {
      1: ['１', 'はい', '！１', '＃1'],
      2: ['いいえ', '②', '２　'],
      3: ['ラーメン', 'ﾗｰﾒﾝ', '3🍜'],
    },
    others: [
      ...[
        '1かな',
        '1番',
        '２です',
        'はいはい',
        'ラーメン食べたい',
        '３３',
        'いいえ2',
        '８８８',
        'ww1',
        '第2',
      ],
    ],
  },
  Korean: {
    answers: ['네', '아니요', '🍕'],
    votes: {
      1: ['네', '1', '네 😊', '!1'],
      2: ['아니요', '2', '#2'],
      3: ['🍕', '🍕🍕', '3'],
    },
    others: [...['1번', '네네', '2번이요', '🍕 좋아', '🍔', 'ㅋㅋ1', '저는 3', '아니', '30', '🎉']],
  },
};

describe.each(Object.entries(TABLE))('a message in %s', (_, { answers, votes, others }) => {
  const read = voteReader(poll(answers));
  const expected = Object.entries(votes).flatMap(([id, texts]) => texts.map(text => [text, id] as const));

  it('has a table of ten votes and ten other messages', () => {
    expect([expected.length, others.length]).toEqual([10, 10]);
  });

  it.each(expected)('%j is a vote for %s', (text, id) => {
    expect(read(text)).toEqual([id]);
  });

  it.each(others)('%j is no vote', text => {
    expect(read(text)).toBeUndefined();
  });
});

describe('a message where a ballot may have several answers', () => {
  const read = voteReader(poll(['pizza', 'burger', 'mac and cheese'], { allowMultiple: true }));

  it.each([
    ['1 3', '1 3'],
    ['!vote 3, 1', '3 1'],
    ['#1 #2 #2', '1 2'],
    ['1+2', '1 2'],
    ['1/2', '1 2'],
    ['１、３ 🔥', '1 3'],
    ['1 and 3', '1 3'],
    ['1, 2 und 3', '1 2 3'],
    ['1 y 2', '1 2'],
    ['1 と 2', '1 2'],
    ['1 и 2', '1 2'],
    ['Pizza', '1'],
    ['pizza, burger', '1 2'],
    ['Pizza and Burger!', '1 2'],
    ['mac and cheese', '3'],
    ['burger & mac and cheese', undefined],
    ['burger & pizza', '2 1'],
    ['pizza pizza', '1'],
    ['1 4', undefined],
    ['and 1', undefined],
    ['1 and', undefined],
    ['+1', undefined],
    ['1 or 3', undefined],
    ['pizza and me', undefined],
    ['pizza burger', undefined],
    ['1 and pizza', undefined],
  ] as const)('%j votes for %s', (message, ids) => {
    expect(read(message)?.join(' ')).toBe(ids);
  });
});

describe('an answer that people type as their keyboard has it', () => {
  it.each([
    [['Łódź', 'Malmö', 'Øresund'], ['lodz', 'LODZ', 'Łodz'], 1],
    [['Łódź', 'Malmö', 'Øresund'], ['malmo', 'Malmoe', 'MALMÖ!'], 2],
    [['Łódź', 'Malmö', 'Øresund'], ['oresund', 'Oeresund'], 3],
    [['Œuvre', 'Ærø', 'Đà Nẵng'], ['oeuvre', 'œuvre.'], 1],
    [['Œuvre', 'Ærø', 'Đà Nẵng'], ['aero', 'ÆRØ'], 2],
    [['Œuvre', 'Ærø', 'Đà Nẵng'], ['da nang', 'Đa Nang'], 3],
    [['Kırmızı', 'Sarı'], ['kirmizi', 'KIRMIZI', 'kırmızı!!'], 1],
    [['Don’t know', 'Spider–Man', '“Heroes”'], ["don't know", 'dont know', 'DON‘T KNOW…'], 1],
    [['Don’t know', 'Spider–Man', '“Heroes”'], ['spider-man', 'Spider Man', 'spider—man'], 2],
    [['Don’t know', 'Spider–Man', '“Heroes”'], ['heroes', '"Heroes"', '«heroes»'], 3],
    [['Really?', 'No.'], ['really?', 'Really', 'really!'], 1],
    [['Really?', 'No.'], ['no', 'No.', '(no)', 'no no no', '*no*'], 2],
    [['سلام', 'مدرسة', 'مصطفى'], ['ســـلام', 'سلام'], 1],
    [['سلام', 'مدرسة', 'مصطفى'], ['مدرسه', 'مدرسة!'], 2],
    [['سلام', 'مدرسة', 'مصطفى'], ['مصطفي', 'مصطفى'], 3],
    [['أحمد', 'على'], ['احمد'], 1],
    [['🍕', '🍔🍟', '❤️'], ['🍕', '🍕🍕🍕', '🍕 🎉'], 1],
    [['🍕', '🍔🍟', '❤️'], ['🍔🍟', '🍔🍟🍔🍟', '🍔 🍟'], 2],
    [['🍕', '🍔🍟', '❤️'], ['❤', '❤️❤️', '❤️'], 3],
    [['👍', '👎'], ['👍🏽', '👍🏿👍🏻'], 1],
    [['yes', 'no'], ['yes!', 'Yes.', 'YES!!!', '"yes"', 'yes yes', '!vote yes', '#yes', 'yes 🎉'], 1],
    [['New York New York', 'New York'], ['new york new york'], 1],
    [['New York New York', 'New York'], ['new york', 'new york new york new york'], 2],
    [['C++', 'C#', 'C'], ['c++', 'C++!'], 1],
    [['C++', 'C#', 'C'], ['c#'], 2],
    [['C++', 'C#', 'C'], ['c', 'C.', 'c c'], 3],
    [['-5', '5 degrees', 'x'], ['-5', '−5'], 1],
    [['Café', 'Cafe', 'x'], ['Café'], 1],
    [['Café', 'Cafe', 'x'], ['Cafe'], 2],
    [['Kappa', 'PogChamp'], ['kappa kappa'], 1],
  ] as const)('%j has %j for %i', (answers, messages, place) => {
    const read = voteReader(poll(answers));
    for (const message of messages) expect([message, read(message)]).toEqual([message, [`${place}`]]);
  });

  it.each([
    [
      ['yes', 'no'],
      ['yes?', 'yes no', 'no yes no', 'yesyes', 'oh yes', 'yes 2', '@host yes', 'y e s', 'noo'],
    ],
    [
      ['🍕', '🍔🍟', '❤️'],
      ['🍔', '🍕🍔🍟❤️', '🎉', '🔥🔥'],
    ],
    [
      ['Fire 🔥', 'Ice 🧊'],
      ['🔥', '🔥🔥'],
    ],
    [
      ['Café', 'Cafe', 'x'],
      ['CAFE', 'café!'],
    ],
    [
      ['-5', 'x'],
      ['5', '5!', '- 5'],
    ],
    [
      ['Spider-Man', 'Batman'],
      ['spider', 'man', 'spiderman', 'bat man'],
    ],
    [['Really?', 'Really??'], ['really']],
    [
      ['???', '!!!', 'x'],
      ['?', '!', '…'],
    ],
  ] as const)('%j has no vote in %j', (answers, messages) => {
    const read = voteReader(poll(answers));
    for (const message of messages) expect([message, read(message)]).toEqual([message, undefined]);
  });

  it('may be one of the platform’s own emotes, which are nothing beside a number', () => {
    const read = voteReader(poll(['Kappa', ':face-blue-smiling:']));
    expect(read('  ', 'Kappa')).toEqual(['1']);
    expect(read('   ', 'Kappa  Kappa ')).toEqual(['1']);
    expect(read(' ', ' face-blue-smiling ')).toEqual(['2']);
    expect(read('2  ', '2 Kappa')).toEqual(['2']);
    expect(read(' ', 'PogChamp')).toBeUndefined();
    expect(read('is it  ', 'is it Kappa')).toBeUndefined();
  });
});

it('is a letter with chat_words, in any alphabet that shows it, and neither a number nor words', () => {
  const read = voteReader(poll(['E', 'Yes', 'No'], { chatWords: true }, 4));
  for (const text of ['E', 'e', '!e', '#E', '!vote e', 'Ｅ', 'Е', 'Ε', '🅴', 'e 🎉', `E${AGAIN}`])
    expect([text, read(text)]).toEqual([text, ['1']]);
  expect(read('g')).toEqual(['3']);
  for (const text of ['1', '2', 'Yes', 'A', 'EE', 'e f', 'H'])
    expect([text, read(text)]).toEqual([text, undefined]);
  // After Z comes A.
  expect(voteReader(poll(['x', 'y'], { chatWords: true }, 25))('a')).toEqual(['2']);
});

it('is a place where it is a number, and two answers that read alike have their numbers alone', () => {
  expect(voteReader(poll(['2', '1']))('2')).toEqual(['2']);
  const read = voteReader(poll(['Café', 'Cafe', '🍕', '🍕🍕']));
  expect([read('CAFE'), read('2'), read('🍕')]).toEqual([undefined, ['2'], ['3']]);
});

it('is no vote if it names two answers of a poll with one choice', () => {
  for (const [texts, message] of [
    [['🍕', '🍔'], '🍕 🍔'],
    [['Yes', 'No'], '1 2'],
  ] as const) {
    expect(voteReader(poll(texts))(message)).toBeUndefined();
    expect(voteReader(poll(texts, { allowMultiple: true }))(message)).toEqual(['1', '2']);
  }
});

it('is read in time that its length bounds', () => {
  const read = voteReader(poll(['Yes', 'No'], { allowMultiple: true }));
  expect(read('1 '.repeat(251))).toBeUndefined();
  expect(read(`${'🔥'.repeat(240)}1`)).toEqual(['1']);
  expect(read('')).toBeUndefined();
});

describe('a number that people type', () => {
  const read = voteReader(poll(['Waterloo', 'Volare', 'Fly on the wings of love']));

  it.each(['2.', '2!', '2!!!', '(2)', '[2]', '"2"', '“2”', '2…', '*2*', '¡2!', '2 2 2', '2 2!', '!vote (2)'])(
    '%j is a vote for it',
    message => {
      expect(read(message)).toEqual(['2']);
    },
  );

  it.each(['2?', '+2', '-2', '2 1', '2 2 1', '2 x', '2:1', '2.1', '2nd', '...', '!', '22'])(
    '%j is none',
    message => {
      expect(read(message)).toBeUndefined();
    },
  );
});
