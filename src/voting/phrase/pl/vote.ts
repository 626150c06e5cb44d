import type { VotePhrases } from '../en/vote.ts';
import type { Parts } from '../wording.ts';

const KEPT = 'Twój wybór nadal jest zaznaczony.';

export const vote: VotePhrases = {
  start: {
    lead: 'Zadaj pytanie, udostępnij link i patrz, jak spływają odpowiedzi.',
    preview: 'Głosuj i śledź wyniki na żywo.',
    create: 'Utwórz ankietę',
    publicPolls: 'Publiczne ankiety',
    none: 'Nie ma jeszcze publicznych ankiet. Pierwsza może być twoja.',
    ended: 'Głosowanie zakończone',
    upcoming: 'Głosowanie jeszcze się nie zaczęło',
    open: 'Otwarte',
    openUntil: <T>(moment: T): Parts<T> => ['Otwarte do ', moment],
  },
  preview: 'Głosuj i zobacz wyniki na żywo.',
  chooseOne: 'Wybierz jedną',
  chooseSeveral: 'Wybierz jedną lub więcej',
  vote: 'Głosuj',
  yourName: 'Twoje imię',
  nameHint: 'Autor ankiety widzi je obok twojego głosu.',
  needsScript:
    'Do głosowania potrzebny jest JavaScript, który sprawdza, czy jesteś człowiekiem. Zezwól na niego i odśwież stronę.',
  peek: 'Zobacz wyniki bez głosowania',
  counted: {
    title: 'Twój głos się liczy',
    text: <T>(choices: T): Parts<T> => ['Twój wybór: ', choices, '.'],
  },
  upcoming: {
    title: 'Głosowanie jeszcze się nie zaczęło',
    text: 'Zagłosujesz tutaj, gdy tylko się zacznie.',
  },
  ended: { title: 'Głosowanie zakończone', text: 'Ta ankieta nie przyjmuje już głosów.' },
  signIn: {
    missing:
      'Tu głosują tylko zalogowani, a na tej stronie nie ma logowania. Może to zmienić tylko jej operator.',
    needed: 'Tu głosują tylko zalogowani. Konto nie jest zapisywane razem z głosem.',
    begin: (provider: string) => `Zaloguj przez ${provider}`,
    done: (provider: string) => `Zalogowano przez ${provider}.`,
    end: 'Wyloguj',
  },
  unreachable: {
    title: 'Nie mamy teraz dostępu do głosów',
    text: 'Nie wiemy jeszcze, czy twój głos został policzony. Naciskaj przycisk, aż się dowiesz: nie policzy się dwa razy.',
  },
  comments: {
    title: 'Komentarze',
    yours: 'Twój komentarz',
    name: 'Imię',
    optional: '(opcjonalnie)',
    send: 'Wyślij komentarz',
    none: 'Brak komentarzy.',
    notSent: 'Komentarz nie został wysłany',
    voteFirst: 'Komentować mogą tylko osoby, które zagłosowały w tej ankiecie.',
    foreignForm: 'Formularz pochodzi z innej wizyty. Wyślij ponownie stąd.',
    noText: 'Jest jeszcze pusty. Napisz coś i wyślij ponownie.',
    longText: (most: string) => `Ma więcej niż ${most} znaków. Skróć go i wyślij ponownie.`,
    badText: 'Zawiera znaki, których nie da się pokazać. Zmień go i wyślij ponownie.',
    badName: (most: string) =>
      `To imię się nie nadaje: do ${most} znaków, bez znaków sterujących. Zmień je i wyślij ponownie.`,
  },
  vpnSeen: 'Chyba go używasz. Wyłącz go przed głosowaniem.',
  notCounted: {
    duplicate_voter: {
      title: 'Twój głos już tu jest',
      text: 'Pierwszy głos się liczy i zostaje bez zmian. Ten nie został policzony.',
    },
    duplicate_account: {
      title: 'To konto już głosowało',
      text: 'Pierwszy głos z twojego konta się liczy i zostaje bez zmian. Ten nie został policzony.',
    },
    duplicate_address: {
      title: 'Z twojej sieci już głosowano',
      text: 'Ankieta przyjmuje jeden głos z każdej sieci, więc ten nie został policzony. Jeśli to był ktoś inny, zagłosuj z innej sieci, np. komórkowej.',
    },
    poll_closed: {
      title: 'Głosowanie zakończone',
      text: 'Głos przyszedł po końcu i nie został policzony.',
    },
    poll_not_open: {
      title: 'Głosowanie jeszcze się nie zaczęło',
      text: `Głos przyszedł przed początkiem i nie został policzony. Naciśnij „Głosuj”, gdy głosowanie się zacznie. ${KEPT}`,
    },
    proof_used: {
      title: 'To sprawdzenie zostało już użyte',
      text: `Ta próba nie została policzona. Trwa nowe sprawdzenie: naciśnij „Głosuj” jeszcze raz. ${KEPT}`,
    },
    no_answer: {
      title: 'Najpierw wybierz odpowiedź',
      text: 'Nic jeszcze nie policzono. Wybierz i naciśnij „Głosuj”.',
    },
    too_many_answers: {
      title: 'Wybierz tylko jedną odpowiedź',
      text: 'Ankieta przyjmuje jedną odpowiedź od osoby. Nic jeszcze nie policzono. Wybierz jedną i naciśnij „Głosuj”.',
    },
    unknown_answer: {
      title: 'Tej odpowiedzi nie ma w ankiecie',
      text: 'Nic jeszcze nie policzono. Wybierz jedną z odpowiedzi poniżej i naciśnij „Głosuj”.',
    },
    name_missing: {
      title: 'Brakuje imienia',
      text: `Ta ankieta prosi o imię. Nic jeszcze nie policzono: wpisz je i naciśnij „Głosuj”. ${KEPT}`,
    },
    name_unusable: {
      title: 'To imię się nie nadaje',
      text: `Imię ma do 80 znaków, bez znaków sterujących. Nic jeszcze nie policzono: zmień je i naciśnij „Głosuj”. ${KEPT}`,
    },
    cookie_missing: {
      title: 'Przeglądarka nie wysłała naszego pliku cookie',
      text: `Bez niego nie odróżnimy głosujących, więc nic nie policzono. Zezwól na cookie na tej stronie i naciśnij „Głosuj”. ${KEPT}`,
    },
    form_foreign: {
      title: 'Ten formularz pochodzi z innej wizyty',
      text: `Nic jeszcze nie policzono. Oto nowy: naciśnij „Głosuj” jeszcze raz. ${KEPT}`,
    },
    vpn_refused: {
      title: 'Ankieta nie przyjmuje głosów przez VPN',
      text: `Głos nie został policzony. Wyłącz VPN i naciśnij „Głosuj” jeszcze raz. ${KEPT}`,
    },
    signed_out: {
      title: 'Zaloguj się, aby głosować',
      text: 'Głos nie został jeszcze policzony. Zaloguj się, wybierz i naciśnij „Głosuj”.',
    },
    sign_in_missing: {
      title: 'Nie ma tu logowania',
      text: 'Tu głosują tylko zalogowani, a strona nie ma jeszcze logowania. Głos nie został policzony. Może to zmienić tylko jej operator.',
    },
    check_missing: {
      title: 'Nie sprawdzono, czy jesteś człowiekiem',
      text: `Potrzebny jest JavaScript, a ta próba nie została policzona. Poczekaj, aż sprawdzenie się skończy, i naciśnij „Głosuj” jeszcze raz. ${KEPT}`,
    },
    check_expired: {
      title: 'Ta strona była długo otwarta',
      text: `Sprawdzenie, czy jesteś człowiekiem, wygasło. Naciśnij „Głosuj” jeszcze raz; nic nie policzy się dwa razy. ${KEPT}`,
    },
    check_failed: {
      title: 'Sprawdzenie, czy jesteś człowiekiem, nie powiodło się',
      text: `Ta próba nie została policzona. Trwa nowe sprawdzenie: naciśnij „Głosuj” jeszcze raz. ${KEPT}`,
    },
    check_unreachable: {
      title: 'Nie da się teraz sprawdzić, czy jesteś człowiekiem',
      text: `Ta próba nie została policzona. Poczekaj chwilę i naciśnij „Głosuj” jeszcze raz; nic nie policzy się dwa razy. ${KEPT}`,
    },
  },
};
