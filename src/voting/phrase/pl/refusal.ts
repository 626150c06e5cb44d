import type { RefusalPhrases } from '../en/refusal.ts';

export const refusal: RefusalPhrases = {
  toStart: 'Na stronę główną',
  toPoll: 'Wróć do ankiety',
  reasons: {
    cross_site: {
      title: 'To przyszło z innej strony',
      text: 'Nic nie zrobiono. Otwórz samą stronę i spróbuj tam.',
    },
    page_not_found: {
      title: 'Tu nic nie ma',
      text: 'Link może być ucięty lub źle wpisany. Sprawdź go i otwórz ponownie.',
    },
    poll_not_found: {
      title: 'Nie ma takiej ankiety',
      text: 'Mogła zostać usunięta albo link jest ucięty lub źle wpisany. Nic nie policzono.',
    },
    rehearsal: {
      title: 'Tu nikt nie głosuje',
      text: 'Głosy ankiety próbnej są symulowane. Służy do wypróbowania programów i nakładek.',
    },
    not_managing: {
      title: 'Ta strona jest dla autora ankiety',
      text: 'Nic nie zmieniono. Otwórz link do zarządzania pokazany przy tworzeniu.',
    },
    too_large: {
      title: 'Za dużo naraz',
      text: 'Nic nie zrobiono. Skróć tekst i wyślij ponownie.',
    },
    bad_request: {
      title: 'Nie dało się tego odczytać',
      text: 'Nic nie zrobiono. Wróć, odśwież stronę i spróbuj ponownie.',
    },
    rate_limited: {
      title: 'Za dużo żądań z twojej sieci',
      text: 'Z tym nic nie zrobiono. Poczekaj chwilę i spróbuj ponownie; co policzono, pozostaje policzone.',
    },
    engine_unavailable: {
      title: 'Nie mamy teraz dostępu do głosów',
      text: 'Nic nie przepadło. Spróbuj za chwilę.',
    },
    sign_in_unreachable: {
      title: 'Logowanie jest teraz niedostępne',
      text: 'Nic nie policzono. Spróbuj za chwilę.',
    },
    stopping: { title: 'Serwer uruchamia się ponownie', text: 'Nic nie przepadło. Spróbuj za chwilę.' },
    failed: {
      title: 'Coś poszło nie tak po naszej stronie',
      text: 'Spróbuj za chwilę. Głos nigdy nie liczy się dwa razy.',
    },
  },
  signInStopped: {
    title: 'Nie zalogowano',
    text: 'Logowanie przerwano lub trwało za długo. Nic nie policzono. Otwórz ankietę i zaloguj się ponownie.',
  },
  busy: {
    title: 'Jesteś w kolejce',
    heading: 'Jest tu teraz bardzo dużo osób',
    text: (time: string) =>
      `Jesteś w kolejce i nic nie przepadło. Strona otworzy się sama, czas oczekiwania: ok. ${time}.`,
    quiet: 'Wysłane głosy mają pierwszeństwo. Ponowne otwieranie strony nie przyspiesza.',
  },
};
