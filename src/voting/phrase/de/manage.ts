import type { ManagePhrases } from '../en/manage.ts';
import type { Parts } from '../wording.ts';

export const manage: ManagePhrases = {
  title: 'Verwalten',
  openPage: 'Abstimmungsseite öffnen',
  people: 'Personen',
  votes: 'Stimmen',
  voting: 'Abstimmung',
  ends: 'Ende',
  screens: 'Bildschirme',
  closeIn: (minutes: string) => `In ${minutes} schließen`,
  keepOpen: 'Offen lassen',
  addresses: 'Wo sie ist',
  newKey: 'Neuer Leseschlüssel',
  newAddress: 'Neue Overlay-Adresse',
  upcoming: {
    title: 'Die Abstimmung hat noch nicht begonnen',
    text: 'Öffne sie, und ab dann werden Stimmen angenommen. Offene Seiten und Bildschirme erfahren es sofort.',
    button: 'Abstimmung öffnen',
  },
  closed: {
    title: 'Die Abstimmung ist geschlossen',
    text: 'Öffne sie wieder, und ab dann werden Stimmen angenommen. Was gezählt ist, bleibt.',
    button: 'Abstimmung wieder öffnen',
  },
  open: {
    title: 'Die Abstimmung ist offen',
    text: 'Schließe sie, und es werden keine Stimmen mehr angenommen. Offene Seiten und Bildschirme erfahren es sofort.',
    button: 'Abstimmung schließen',
  },
  seenBy: {
    title: 'Wer das Ergebnis sieht',
    always: 'Alle sehen das Ergebnis.',
    after_deadline: 'Das Ergebnis ist verborgen und erscheint am Ende der Abstimmung.',
    hidden: 'Nur du und wer einen Schlüssel dieser Umfrage hat, sehen das Ergebnis.',
  },
  show: {
    always: 'Ergebnis zeigen',
    after_deadline: 'Am Ende der Abstimmung zeigen',
    hidden: 'Ergebnis verbergen',
  },
  deadline: {
    title: 'Ende der Abstimmung',
    label: 'Ende der Abstimmung',
    hint: 'Bleibt es leer, endet die Abstimmung, wenn du sie schließt.',
    button: 'Ende ändern',
  },
  ballots: {
    title: 'Stimmzettel',
    text: 'Eine Zeile je Stimmzettel: wann er abgegeben wurde und seine Antworten.',
    textWithNames: 'Eine Zeile je Stimmzettel: wann und von wem er abgegeben wurde und seine Antworten.',
    download: 'Als CSV herunterladen',
    names: 'Namen ansehen',
  },
  names: {
    title: 'Namen',
    heading: 'Wer abgestimmt hat',
    back: 'Zurück',
    newest: (shown: string, all: string) => `Die neuesten ${shown} von ${all}. Alle stehen in der CSV-Datei.`,
    nobody: 'Noch niemand.',
  },
  unvoted: <T>(moment: T): Parts<T> => ['Stimmt niemand ab, wird diese Umfrage gelöscht: ', moment, '.'],
  viewKey: {
    title: 'Leseschlüssel',
    text: 'Overlays tragen ihn, um verborgene Ergebnisse zu sehen. Ist deiner in falsche Hände geraten, mach einen neuen: Der alte gilt sofort nicht mehr.',
    button: 'Neuen Leseschlüssel machen',
  },
  adminKey: {
    text: 'Wer ihn hat, kann diese Umfrage ändern und löschen. Ist dein Link in falsche Hände geraten, erstelle einen neuen: Der alte gilt sofort nicht mehr, auch auf Seiten, die schon offen sind.',
    button: 'Neuen Verwaltungsschlüssel erstellen',
  },
  onAir: {
    title: 'Show',
    text: <T>(address: T): Parts<T> => [
      'Ein Overlay unter ',
      address,
      ' folgt der Umfrage, auf die seine Show zeigt.',
    ],
    name: 'Name der Show',
    nameHint: 'Kleinbuchstaben, Ziffern und Bindestriche.',
    key: 'Schlüssel der Show',
    keyHint: 'Er beginnt mit show_ und wurde beim Anlegen der Show genannt.',
    button: 'Diese Umfrage dort zeigen',
  },
  comments: {
    title: 'Kommentare',
    none: 'Noch keine Kommentare.',
    remove: 'Entfernen',
    removeBy: (name: string) => `Kommentar von ${name} entfernen`,
  },
  remove: {
    title: 'Diese Umfrage löschen',
    text: 'Alle Stimmen, Namen und Kommentare gehen mit, und jeder Bildschirm, der sie zeigt, wird leer. Niemand kann sie zurückholen.',

    word: 'löschen',
    confirm: <T>(word: T): Parts<T> => ['Tippe das Wort ', word],
    button: 'Endgültig löschen',
  },
  key: {
    heading: 'Eine Umfrage verwalten',
    label: 'Verwaltungsschlüssel',
    hint: 'Er beginnt mit admin_ und ist Teil des Links zum Verwalten.',
    open: 'Weiter',
    rejected: 'Dieser Schlüssel verwaltet diese Umfrage nicht',
    rejectedText:
      'Es wurde nichts geändert. Nimm den ganzen Link, den du beim Erstellen bekommen hast; ein Leseschlüssel zeigt nur das Ergebnis.',
  },
  unchanged: 'Es wurde nichts geändert',
  done: {
    shown: {
      title: 'Das Ergebnis wird gezeigt',
      text: 'Alle offenen Bildschirme und Seiten haben es jetzt.',
    },
    waiting: {
      title: 'Das Ergebnis wartet auf das Ende',
      text: 'Es ist jetzt verborgen und erscheint am Ende der Abstimmung.',
    },
    hidden: {
      title: 'Das Ergebnis ist verborgen',
      text: 'Nur du und wer einen Schlüssel dieser Umfrage hat, sehen es jetzt.',
    },
    closed: {
      title: 'Die Abstimmung ist geschlossen',
      text: 'Es werden keine Stimmen mehr angenommen. Du kannst sie wieder öffnen.',
    },
    opened: { title: 'Die Abstimmung ist offen', text: 'Ab jetzt werden Stimmen angenommen.' },
    reopened: { title: 'Die Abstimmung ist wieder offen', text: 'Ab jetzt werden Stimmen angenommen.' },
    reopened_without_end: {
      title: 'Die Abstimmung ist wieder offen',
      text: 'Ab jetzt werden Stimmen angenommen. Das vergangene Ende gilt nicht mehr: Schließe von Hand oder setze ein neues.',
    },
    no_deadline: {
      title: 'Es gibt jetzt kein festes Ende',
      text: 'Die Abstimmung endet, wenn du sie schließt.',
    },
    new_deadline: {
      title: 'Das Ende ist geändert',
      text: 'Alle offenen Seiten zählen zum neuen hin.',
    },
    new_view_key: {
      title: 'Es gibt einen neuen Leseschlüssel',
      text: 'Er wird nur dieses eine Mal gezeigt. Overlays mit dem alten verlieren verborgene Ergebnisse; gib ihnen die neue Adresse.',
    },
    new_admin_key: {
      title: 'Es gibt einen neuen Verwaltungsschlüssel',
      text: 'Er wird nur dieses eine Mal gezeigt. Speichere den neuen Link; der alte gilt nicht mehr.',
    },
    comment_removed: {
      title: 'Der Kommentar ist entfernt',
      text: 'Er ist von allen offenen Seiten verschwunden.',
    },
    comment_gone: { title: 'Der Kommentar war schon weg', text: 'Sonst wurde nichts geändert.' },
    removed: { title: 'Die Umfrage ist gelöscht', text: 'Alle Stimmen, Namen und Kommentare sind weg.' },
  },
  onAirNow: {
    title: (name: string) => `„${name}“ zeigt jetzt diese Umfrage`,
    text: (address: string) => `Das Overlay ist ${address}`,
  },
  refused: {
    visibility_missing: 'Wähle, wer das Ergebnis sieht.',
    moment_missing: 'Wähle einen Tag und eine Uhrzeit.',
    minutes_missing: 'Wähle, wie lange die Abstimmung offen bleibt.',
    page_stale: 'Diese Seite war zu lange offen. Drücke den Knopf noch einmal.',
    not_confirmed: (word: string) => `Tippe zur Bestätigung das Wort ${word}. Die Umfrage ist noch da.`,
    show_not_found:
      'Es gibt keine Show mit diesem Namen. Er besteht aus Kleinbuchstaben, Ziffern und Bindestrichen, wie friday-night.',
    api_key_required: 'Gib den Schlüssel der Show ein.',
    api_key_rejected:
      'Dieser Schlüssel öffnet diese Show nicht. Er beginnt mit show_ und wurde beim Anlegen der Show genannt.',
    deadline_in_past: 'Wähle einen Zeitpunkt in der Zukunft, oder schließe die Abstimmung jetzt.',
    deadline_missing: 'Ein Ergebnis am Ende braucht ein Ende: Setze zuerst eines.',
    deadline_passed: 'Das Ende ist schon vorbei. Setze zuerst ein späteres.',
  },
};
