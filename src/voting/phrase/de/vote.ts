import type { VotePhrases } from '../en/vote.ts';
import type { Parts } from '../wording.ts';

const KEPT = 'Deine Auswahl ist noch da.';

export const vote: VotePhrases = {
  start: {
    lead: 'Stell eine Frage, teile den Link und sieh zu, wie die Antworten eintreffen.',
    preview: 'Stimm ab und verfolge das Ergebnis live.',
    create: 'Umfrage erstellen',
    publicPolls: 'Öffentliche Umfragen',
    none: 'Noch keine öffentlichen Umfragen. Die erste könnte deine sein.',
    ended: 'Die Abstimmung ist beendet',
    upcoming: 'Die Abstimmung hat noch nicht begonnen',
    open: 'Offen',
    openUntil: <T>(moment: T): Parts<T> => ['Offen bis ', moment],
  },
  preview: 'Stimm ab und sieh das Ergebnis live.',
  chooseOne: 'Wähle eine Antwort',
  chooseSeveral: 'Wähle eine oder mehrere',
  vote: 'Abstimmen',
  yourName: 'Dein Name',
  nameHint: 'Wer die Umfrage erstellt hat, sieht ihn neben deiner Stimme.',
  needsScript:
    'Zum Abstimmen braucht es JavaScript, für die Prüfung, ob du ein Mensch bist. Erlaube es für diese Seite und lade sie neu.',
  peek: 'Ergebnis ansehen, ohne abzustimmen',
  counted: {
    title: 'Deine Stimme zählt',
    text: <T>(choices: T): Parts<T> => ['Deine Wahl: ', choices, '.'],
  },
  upcoming: {
    title: 'Die Abstimmung hat noch nicht begonnen',
    text: 'Sobald es losgeht, kannst du hier abstimmen.',
  },
  ended: {
    title: 'Die Abstimmung ist beendet',
    text: 'In dieser Umfrage werden keine Stimmen mehr angenommen.',
  },
  signIn: {
    missing:
      'Hier stimmen nur angemeldete Personen ab, und auf dieser Seite ist keine Anmeldung eingerichtet. Das kann nur der Betreiber ändern.',
    needed: 'Hier stimmen nur angemeldete Personen ab. Dein Konto wird nicht mit deiner Stimme gespeichert.',
    begin: (provider: string) => `Mit ${provider} anmelden`,
    done: (provider: string) => `Du bist mit ${provider} angemeldet.`,
    end: 'Abmelden',
  },
  unreachable: {
    title: 'Die Stimmen sind gerade nicht erreichbar',
    text: 'Noch ist nicht sicher, ob deine Stimme gezählt wurde. Drücke den Knopf, bis du es erfährst: Sie kann nicht doppelt zählen.',
  },
  comments: {
    title: 'Kommentare',
    yours: 'Dein Kommentar',
    name: 'Name',
    optional: '(freiwillig)',
    send: 'Kommentar senden',
    none: 'Noch keine Kommentare.',
    notSent: 'Dein Kommentar wurde nicht gesendet',
    voteFirst: 'Kommentieren können alle, die hier abgestimmt haben.',
    foreignForm: 'Das Formular gehört zu einem anderen Besuch. Sende es von hier noch einmal.',
    noText: 'Es steht noch nichts darin. Schreib etwas und sende noch einmal.',
    longText: (most: string) => `Er ist länger als ${most} Zeichen. Kürze ihn und sende noch einmal.`,
    badText: 'Er enthält Zeichen, die sich nicht anzeigen lassen. Ändere ihn und sende noch einmal.',
    badName: (most: string) =>
      `Dieser Name geht nicht: höchstens ${most} Zeichen, keine Steuerzeichen. Ändere ihn und sende noch einmal.`,
  },
  vpnSeen: 'Du scheinst eines zu benutzen. Schalte es aus, bevor du abstimmst.',
  notCounted: {
    duplicate_voter: {
      title: 'Du hast hier schon abgestimmt',
      text: 'Deine erste Stimme zählt und bleibt, wie sie ist. Diese wurde nicht gezählt.',
    },
    duplicate_account: {
      title: 'Dieses Konto hat schon abgestimmt',
      text: 'Die erste Stimme deines Kontos zählt und bleibt, wie sie ist. Diese wurde nicht gezählt.',
    },
    duplicate_address: {
      title: 'Aus deinem Netz kam schon eine Stimme',
      text: 'Diese Umfrage nimmt eine Stimme je Netz an, darum wurde diese nicht gezählt. War es jemand anderes, stimm aus einem anderen Netz ab, zum Beispiel mobil.',
    },
    poll_closed: {
      title: 'Die Abstimmung ist beendet',
      text: 'Deine Stimme kam nach dem Ende und wurde nicht gezählt.',
    },
    poll_not_open: {
      title: 'Die Abstimmung hat noch nicht begonnen',
      text: `Deine Stimme kam vor dem Beginn und wurde nicht gezählt. Drücke „Abstimmen“, sobald es losgeht. ${KEPT}`,
    },
    proof_used: {
      title: 'Diese Prüfung wurde schon benutzt',
      text: `Dieser Versuch wurde nicht gezählt. Eine neue Prüfung läuft: Drücke noch einmal „Abstimmen“. ${KEPT}`,
    },
    no_answer: {
      title: 'Wähle zuerst eine Antwort',
      text: 'Noch wurde nichts gezählt. Wähle und drücke dann „Abstimmen“.',
    },
    too_many_answers: {
      title: 'Wähle nur eine Antwort',
      text: 'Hier zählt eine Antwort je Person. Noch wurde nichts gezählt. Wähle eine und drücke dann „Abstimmen“.',
    },
    unknown_answer: {
      title: 'Diese Antwort gibt es hier nicht',
      text: 'Noch wurde nichts gezählt. Wähle eine der Antworten unten und drücke dann „Abstimmen“.',
    },
    name_missing: {
      title: 'Dein Name fehlt',
      text: `Diese Umfrage fragt nach einem Namen. Noch wurde nichts gezählt: Trag ihn ein und drücke „Abstimmen“. ${KEPT}`,
    },
    name_unusable: {
      title: 'Dieser Name geht nicht',
      text: `Ein Name hat höchstens 80 Zeichen und keine Steuerzeichen. Noch wurde nichts gezählt: Ändere ihn und drücke „Abstimmen“. ${KEPT}`,
    },
    cookie_missing: {
      title: 'Dein Browser hat unser Cookie nicht mitgeschickt',
      text: `Ohne das Cookie können wir Personen nicht unterscheiden, darum wurde nichts gezählt. Erlaube Cookies für diese Seite und drücke „Abstimmen“. ${KEPT}`,
    },
    form_foreign: {
      title: 'Dieses Formular gehört zu einem anderen Besuch',
      text: `Noch wurde nichts gezählt. Hier ist ein frisches: Drücke noch einmal „Abstimmen“. ${KEPT}`,
    },
    vpn_refused: {
      title: 'Hier zählen keine Stimmen über ein VPN',
      text: `Deine Stimme wurde nicht gezählt. Schalte das VPN aus und drücke noch einmal „Abstimmen“. ${KEPT}`,
    },
    signed_out: {
      title: 'Melde dich an, um abzustimmen',
      text: 'Deine Stimme wurde noch nicht gezählt. Melde dich an, wähle und drücke „Abstimmen“.',
    },
    sign_in_missing: {
      title: 'Hier ist keine Anmeldung eingerichtet',
      text: 'Hier stimmen nur angemeldete Personen ab, und diese Seite hat noch keine Anmeldung. Deine Stimme wurde nicht gezählt. Das kann nur der Betreiber ändern.',
    },
    check_missing: {
      title: 'Die Prüfung, ob du ein Mensch bist, lief nicht',
      text: `Sie braucht JavaScript, und dieser Versuch wurde nicht gezählt. Warte, bis sie fertig ist, und drücke noch einmal „Abstimmen“. ${KEPT}`,
    },
    check_expired: {
      title: 'Diese Seite war lange offen',
      text: `Die Prüfung, ob du ein Mensch bist, ist abgelaufen. Drücke noch einmal „Abstimmen“; doppelt zählt nichts. ${KEPT}`,
    },
    check_failed: {
      title: 'Die Prüfung, ob du ein Mensch bist, ist misslungen',
      text: `Dieser Versuch wurde nicht gezählt. Eine neue Prüfung läuft: Drücke noch einmal „Abstimmen“. ${KEPT}`,
    },
    check_unreachable: {
      title: 'Die Prüfung, ob du ein Mensch bist, ist nicht erreichbar',
      text: `Dieser Versuch wurde nicht gezählt. Warte einen Moment und drücke noch einmal „Abstimmen“; doppelt zählt nichts. ${KEPT}`,
    },
  },
};
