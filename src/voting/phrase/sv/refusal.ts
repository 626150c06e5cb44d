import type { RefusalPhrases } from '../en/refusal.ts';

export const refusal: RefusalPhrases = {
  toStart: 'Till startsidan',
  toPoll: 'Tillbaka till omröstningen',
  reasons: {
    cross_site: {
      title: 'Det här kom från en annan sajt',
      text: 'Inget gjordes. Öppna själva sidan och försök där.',
    },
    page_not_found: {
      title: 'Här finns inget',
      text: 'Länken kan vara avklippt eller felskriven. Kontrollera den och öppna igen.',
    },
    poll_not_found: {
      title: 'Omröstningen finns inte',
      text: 'Den kan ha tagits bort, eller så är länken avklippt eller felskriven. Inget räknades.',
    },
    rehearsal: {
      title: 'Här röstar ingen',
      text: 'Rösterna i repetitionen är simulerade. Den finns för att pröva program och overlayer.',
    },
    not_managing: {
      title: 'Sidan är för den som skapade omröstningen',
      text: 'Inget ändrades. Öppna hanteringslänken som visades när den skapades.',
    },
    too_large: {
      title: 'Det var för mycket på en gång',
      text: 'Inget gjordes. Korta texten och skicka igen.',
    },
    bad_request: {
      title: 'Det gick inte att läsa',
      text: 'Inget gjordes. Gå tillbaka, ladda om sidan och försök igen.',
    },
    rate_limited: {
      title: 'För många anrop från ditt nätverk',
      text: 'Inget gjordes med det här. Vänta lite och försök igen; det som räknats står kvar.',
    },
    engine_unavailable: {
      title: 'Vi når inte rösterna just nu',
      text: 'Inget är förlorat. Försök igen om en stund.',
    },
    sign_in_unreachable: {
      title: 'Inloggningen går inte att nå just nu',
      text: 'Inget räknades. Försök igen om en stund.',
    },
    stopping: { title: 'Servern startar om', text: 'Inget är förlorat. Försök igen om en stund.' },
    failed: {
      title: 'Något gick fel hos oss',
      text: 'Försök igen om en stund. En röst räknas aldrig två gånger.',
    },
  },
  signInStopped: {
    title: 'Du är inte inloggad',
    text: 'Inloggningen avbröts eller tog för lång tid. Inget räknades. Öppna omröstningen och logga in igen.',
  },
  busy: {
    title: 'Du står i kö',
    heading: 'Det är många här just nu',
    text: (time: string) =>
      `Du står i kö och inget är förlorat. Sidan öppnas av sig själv om ungefär ${time}.`,
    quiet: 'Skickade röster går först. Att öppna sidan igen går inte fortare.',
  },
};
