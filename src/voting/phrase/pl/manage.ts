import type { ManagePhrases } from '../en/manage.ts';
import type { Parts } from '../wording.ts';

export const manage: ManagePhrases = {
  title: 'Zarządzanie',
  openPage: 'Otwórz stronę głosowania',
  people: 'Osoby',
  votes: 'Głosy',
  voting: 'Głosowanie',
  ends: 'Koniec',
  screens: 'Ekrany',
  closeIn: (minutes: string) => `Zamknij za ${minutes}`,
  keepOpen: 'Zostaw otwarte',
  addresses: 'Gdzie jest',
  newKey: 'Nowy klucz odczytu',
  newAddress: 'Nowy adres nakładki',
  upcoming: {
    title: 'Głosowanie jeszcze się nie zaczęło',
    text: 'Otwórz je, a od tej chwili głosy są przyjmowane. Otwarte strony i ekrany wiedzą od razu.',
    button: 'Otwórz głosowanie',
  },
  closed: {
    title: 'Głosowanie jest zamknięte',
    text: 'Otwórz je ponownie, a głosy znów będą przyjmowane. Co policzono, zostaje.',
    button: 'Otwórz ponownie',
  },
  open: {
    title: 'Głosowanie jest otwarte',
    text: 'Zamknij je, a głosy nie będą już przyjmowane. Otwarte strony i ekrany wiedzą od razu.',
    button: 'Zamknij głosowanie',
  },
  seenBy: {
    title: 'Kto widzi wyniki',
    always: 'Wszyscy widzą wyniki.',
    after_deadline: 'Wyniki są ukryte i pojawią się po głosowaniu.',
    hidden: 'Wyniki widzisz tylko ty i kto ma klucz tej ankiety.',
  },
  show: {
    always: 'Pokaż wyniki',
    after_deadline: 'Pokaż po głosowaniu',
    hidden: 'Ukryj wyniki',
  },
  deadline: {
    title: 'Koniec głosowania',
    label: 'Koniec głosowania',
    hint: 'Puste: głosowanie kończy się, gdy je zamkniesz.',
    button: 'Zmień koniec',
  },
  ballots: {
    title: 'Karty do głosowania',
    text: 'Jeden wiersz na kartę: kiedy ją oddano i jej odpowiedzi.',
    textWithNames: 'Jeden wiersz na kartę: kiedy i kto ją oddał oraz jej odpowiedzi.',
    download: 'Pobierz jako CSV',
    names: 'Zobacz imiona',
  },
  names: {
    title: 'Imiona',
    heading: 'Kto głosował',
    back: 'Wstecz',
    newest: (shown: string, all: string) => `Najnowsze ${shown} z ${all}. Wszystkie są w pliku CSV.`,
    nobody: 'Jeszcze nikt.',
  },
  unvoted: <T>(moment: T): Parts<T> => ['Jeśli nikt nie zagłosuje, ankieta zostanie usunięta: ', moment, '.'],
  viewKey: {
    title: 'Klucz odczytu',
    text: 'Nakładki mają go, by widzieć ukryte wyniki. Jeśli twój się rozszedł, utwórz nowy: stary od razu przestaje działać.',
    button: 'Utwórz nowy klucz',
  },
  adminKey: {
    text: 'Kto go ma, może zmienić i usunąć tę ankietę. Jeśli twój link wyciekł, utwórz nowy: stary od razu przestaje działać, także na otwartych już stronach.',
    button: 'Utwórz nowy klucz zarządzania',
  },
  onAir: {
    title: 'Program',
    text: <T>(address: T): Parts<T> => [
      'Nakładka pod ',
      address,
      ' pokazuje ankietę wskazaną przez jej program.',
    ],
    name: 'Nazwa programu',
    nameHint: 'Małe litery, cyfry i łączniki.',
    key: 'Klucz programu',
    keyHint: 'Zaczyna się od show_ i podano go przy tworzeniu programu.',
    button: 'Pokaż tam tę ankietę',
  },
  comments: {
    title: 'Komentarze',
    none: 'Brak komentarzy.',
    remove: 'Usuń',
    removeBy: (name: string) => `Usuń komentarz: ${name}`,
  },
  remove: {
    title: 'Usuń tę ankietę',
    text: 'Znikną wszystkie głosy, imiona i komentarze, a każdy ekran z nią będzie pusty. Nikt jej nie przywróci.',

    word: 'usuń',
    confirm: <T>(word: T): Parts<T> => ['Wpisz słowo ', word],
    button: 'Usuń na zawsze',
  },
  key: {
    heading: 'Zarządzaj ankietą',
    label: 'Klucz zarządzania',
    hint: 'Zaczyna się od admin_ i jest częścią linku do zarządzania.',
    open: 'Dalej',
    rejected: 'Ten klucz nie zarządza tą ankietą',
    rejectedText:
      'Nic nie zmieniono. Użyj całego linku otrzymanego przy tworzeniu; klucz odczytu tylko pokazuje wyniki.',
  },
  unchanged: 'Nic nie zmieniono',
  done: {
    shown: { title: 'Wyniki są pokazane', text: 'Mają je teraz wszystkie otwarte ekrany i strony.' },
    waiting: {
      title: 'Wyniki czekają na koniec',
      text: 'Są teraz ukryte i pojawią się po głosowaniu.',
    },
    hidden: {
      title: 'Wyniki są ukryte',
      text: 'Widzisz je teraz tylko ty i kto ma klucz tej ankiety.',
    },
    closed: {
      title: 'Głosowanie jest zamknięte',
      text: 'Głosy nie są już przyjmowane. Możesz je otworzyć ponownie.',
    },
    opened: { title: 'Głosowanie jest otwarte', text: 'Od teraz głosy są przyjmowane.' },
    reopened: { title: 'Głosowanie znów jest otwarte', text: 'Od teraz głosy są przyjmowane.' },
    reopened_without_end: {
      title: 'Głosowanie znów jest otwarte',
      text: 'Od teraz głosy są przyjmowane. Miniony termin już nie obowiązuje: zamknij ręcznie lub ustaw inny.',
    },
    no_deadline: { title: 'Nie ma teraz terminu', text: 'Głosowanie kończy się, gdy je zamkniesz.' },
    new_deadline: {
      title: 'Termin zmieniono',
      text: 'Wszystkie otwarte strony odliczają do nowego.',
    },
    new_view_key: {
      title: 'Jest nowy klucz odczytu',
      text: 'Pokazujemy go tylko ten raz. Nakładki ze starym tracą ukryte wyniki; podaj im nowy adres.',
    },
    new_admin_key: {
      title: 'Jest nowy klucz zarządzania',
      text: 'Pokazujemy go tylko ten raz. Zapisz nowy link; stary już nie działa.',
    },
    comment_removed: { title: 'Komentarz usunięto', text: 'Zniknął ze wszystkich otwartych stron.' },
    comment_gone: { title: 'Komentarza już nie było', text: 'Nic więcej nie zmieniono.' },
    removed: { title: 'Ankietę usunięto', text: 'Zniknęły wszystkie jej głosy, imiona i komentarze.' },
  },
  onAirNow: {
    title: (name: string) => `„${name}” pokazuje teraz tę ankietę`,
    text: (address: string) => `Jego nakładka: ${address}`,
  },
  refused: {
    visibility_missing: 'Wybierz, kto widzi wyniki.',
    moment_missing: 'Wybierz dzień i godzinę.',
    minutes_missing: 'Wybierz, jak długo głosowanie pozostanie otwarte.',
    page_stale: 'Strona była otwarta zbyt długo. Naciśnij przycisk jeszcze raz.',
    not_confirmed: (word: string) => `Wpisz słowo ${word}, aby potwierdzić. Ankieta nadal istnieje.`,
    show_not_found: 'Nie ma programu o tej nazwie. Nazwa ma małe litery, cyfry i łączniki, np. friday-night.',
    api_key_required: 'Wpisz klucz programu.',
    api_key_rejected:
      'Ten klucz nie otwiera tego programu. Zaczyna się od show_ i podano go przy tworzeniu programu.',
    deadline_in_past: 'Wybierz chwilę w przyszłości albo zamknij głosowanie teraz.',
    deadline_missing: 'Wyniki na koniec wymagają końca: najpierw go ustaw.',
    deadline_passed: 'Termin minął. Najpierw ustaw późniejszy.',
  },
};
