import type { RefusalPhrases } from '../en/refusal.ts';

export const refusal: RefusalPhrases = {
  toStart: 'Zur Startseite',
  toPoll: 'Zurück zur Umfrage',
  reasons: {
    cross_site: {
      title: 'Das kam von einer anderen Website',
      text: 'Es wurde nichts getan. Öffne die Seite selbst und versuch es dort.',
    },
    page_not_found: {
      title: 'Hier ist nichts',
      text: 'Vielleicht ist der Link abgeschnitten oder vertippt. Prüfe ihn und öffne ihn noch einmal.',
    },
    poll_not_found: {
      title: 'Diese Umfrage gibt es nicht',
      text: 'Vielleicht wurde sie gelöscht, oder der Link ist abgeschnitten oder vertippt. Es wurde nichts gezählt.',
    },
    rehearsal: {
      title: 'Hier stimmt niemand ab',
      text: 'Die Stimmen der Probe-Umfrage sind simuliert. Mit ihr lassen sich Programme und Overlays ausprobieren.',
    },
    not_managing: {
      title: 'Diese Seite ist für die Person, die die Umfrage erstellt hat',
      text: 'Es wurde nichts geändert. Öffne den Link zum Verwalten, der beim Erstellen gezeigt wurde.',
    },
    too_large: {
      title: 'Das war zu viel auf einmal',
      text: 'Es wurde nichts getan. Kürze den Text und sende noch einmal.',
    },
    bad_request: {
      title: 'Das war nicht zu lesen',
      text: 'Es wurde nichts getan. Geh zurück, lade die Seite neu und versuch es noch einmal.',
    },
    rate_limited: {
      title: 'Zu viele Anfragen aus deinem Netz',
      text: 'Mit dieser wurde nichts getan. Warte einen Moment und versuch es noch einmal; was gezählt ist, bleibt gezählt.',
    },
    engine_unavailable: {
      title: 'Die Stimmen sind gerade nicht erreichbar',
      text: 'Nichts ist verloren. Versuch es gleich noch einmal.',
    },
    sign_in_unreachable: {
      title: 'Die Anmeldung ist gerade nicht erreichbar',
      text: 'Es wurde nichts gezählt. Versuch es gleich noch einmal.',
    },
    stopping: {
      title: 'Dieser Server startet gerade neu',
      text: 'Nichts ist verloren. Versuch es gleich noch einmal.',
    },
    failed: {
      title: 'Bei uns ist etwas schiefgegangen',
      text: 'Versuch es gleich noch einmal. Eine Stimme zählt nie doppelt.',
    },
  },
  signInStopped: {
    title: 'Du bist nicht angemeldet',
    text: 'Die Anmeldung wurde abgebrochen oder dauerte zu lange. Es wurde nichts gezählt. Öffne die Umfrage und melde dich noch einmal an.',
  },
  busy: {
    title: 'Du stehst in der Schlange',
    heading: 'Gerade sind sehr viele Leute hier',
    text: (time: string) =>
      `Du stehst in der Schlange, und nichts ist verloren. Diese Seite öffnet sich von selbst, Wartezeit etwa ${time}.`,
    quiet: 'Gesendete Stimmen kommen zuerst dran. Die Seite selbst neu zu öffnen macht es nicht schneller.',
  },
};
