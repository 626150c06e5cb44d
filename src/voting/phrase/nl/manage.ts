import type { ManagePhrases } from '../en/manage.ts';
import type { Parts } from '../wording.ts';

export const manage: ManagePhrases = {
  title: 'Beheer',
  openPage: 'Stempagina openen',
  people: 'Personen',
  votes: 'Stemmen',
  voting: 'Stemming',
  ends: 'Einde',
  screens: 'Schermen',
  closeIn: (minutes: string) => `Sluiten over ${minutes}`,
  keepOpen: 'Open houden',
  addresses: 'Waar hij is',
  newKey: 'Nieuwe leessleutel',
  newAddress: 'Nieuw overlay-adres',
  upcoming: {
    title: 'De stemming is nog niet begonnen',
    text: 'Open hem, en vanaf dan worden stemmen aangenomen. Open pagina’s en schermen weten het meteen.',
    button: 'Stemming openen',
  },
  closed: {
    title: 'De stemming is gesloten',
    text: 'Open hem weer, en vanaf dan worden stemmen aangenomen. Wat geteld is, blijft.',
    button: 'Stemming weer openen',
  },
  open: {
    title: 'De stemming is open',
    text: 'Sluit hem, en er worden geen stemmen meer aangenomen. Open pagina’s en schermen weten het meteen.',
    button: 'Stemming sluiten',
  },
  seenBy: {
    title: 'Wie de uitslag ziet',
    always: 'Iedereen ziet de uitslag.',
    after_deadline: 'De uitslag is verborgen en verschijnt na afloop.',
    hidden: 'Alleen jij en wie een sleutel van deze poll heeft, zien de uitslag.',
  },
  show: {
    always: 'Uitslag tonen',
    after_deadline: 'Na afloop tonen',
    hidden: 'Uitslag verbergen',
  },
  deadline: {
    title: 'Einde van de stemming',
    label: 'Einde van de stemming',
    hint: 'Leeg gelaten eindigt hij als je hem sluit.',
    button: 'Einde wijzigen',
  },
  ballots: {
    title: 'Stembiljetten',
    text: 'Eén regel per stembiljet: wanneer het kwam en de antwoorden.',
    textWithNames: 'Eén regel per stembiljet: wanneer het kwam, van wie, en de antwoorden.',
    download: 'Downloaden als CSV',
    names: 'Namen bekijken',
  },
  names: {
    title: 'Namen',
    heading: 'Wie er stemde',
    back: 'Terug',
    newest: (shown: string, all: string) =>
      `De nieuwste ${shown} van ${all}. Allemaal staan ze in het CSV-bestand.`,
    nobody: 'Nog niemand.',
  },
  unvoted: <T>(moment: T): Parts<T> => ['Als niemand stemt, wordt deze poll verwijderd op ', moment, '.'],
  viewKey: {
    title: 'Leessleutel',
    text: 'Overlays dragen hem om een verborgen uitslag te zien. Is de jouwe rondgegaan, maak dan een nieuwe: de oude stopt meteen.',
    button: 'Nieuwe leessleutel maken',
  },
  adminKey: {
    text: 'Wie hem heeft, kan deze poll wijzigen en verwijderen. Is je link uitgelekt, maak dan een nieuwe: de oude werkt meteen niet meer, ook niet op pagina’s die al open zijn.',
    button: 'Nieuwe beheersleutel maken',
  },
  onAir: {
    title: 'Show',
    text: <T>(address: T): Parts<T> => [
      'Een overlay op ',
      address,
      ' volgt de poll waar zijn show naar wijst.',
    ],
    name: 'Naam van de show',
    nameHint: 'Kleine letters, cijfers en streepjes.',
    key: 'Sleutel van de show',
    keyHint: 'Hij begint met show_ en is gegeven toen de show werd gemaakt.',
    button: 'Deze poll daar tonen',
  },
  comments: {
    title: 'Reacties',
    none: 'Nog geen reacties.',
    remove: 'Verwijderen',
    removeBy: (name: string) => `Reactie van ${name} verwijderen`,
  },
  remove: {
    title: 'Deze poll verwijderen',
    text: 'Alle stemmen, namen en reacties gaan mee, en elk scherm dat hem toont wordt leeg. Niemand kan hem terughalen.',

    word: 'verwijderen',
    confirm: <T>(word: T): Parts<T> => ['Typ het woord ', word],
    button: 'Voorgoed verwijderen',
  },
  key: {
    heading: 'Een poll beheren',
    label: 'Beheersleutel',
    hint: 'Hij begint met admin_ en is deel van de beheerlink.',
    open: 'Verder',
    rejected: 'Deze sleutel beheert deze poll niet',
    rejectedText:
      'Er is niets veranderd. Gebruik de hele link die je bij het maken kreeg; een leessleutel toont alleen de uitslag.',
  },
  unchanged: 'Er is niets veranderd',
  done: {
    shown: { title: 'De uitslag wordt getoond', text: 'Alle open schermen en pagina’s hebben hem nu.' },
    waiting: {
      title: 'De uitslag wacht op het einde',
      text: 'Hij is nu verborgen en verschijnt na afloop.',
    },
    hidden: {
      title: 'De uitslag is verborgen',
      text: 'Alleen jij en wie een sleutel van deze poll heeft, zien hem nu.',
    },
    closed: {
      title: 'De stemming is gesloten',
      text: 'Er worden geen stemmen meer aangenomen. Je kunt hem weer openen.',
    },
    opened: { title: 'De stemming is open', text: 'Vanaf nu worden stemmen aangenomen.' },
    reopened: { title: 'De stemming is weer open', text: 'Vanaf nu worden stemmen aangenomen.' },
    reopened_without_end: {
      title: 'De stemming is weer open',
      text: 'Vanaf nu worden stemmen aangenomen. Het verstreken einde geldt niet meer: sluit met de hand of kies een ander.',
    },
    no_deadline: { title: 'Er is nu geen vast einde', text: 'De stemming eindigt als je hem sluit.' },
    new_deadline: {
      title: 'Het einde is gewijzigd',
      text: 'Alle open pagina’s tellen naar het nieuwe.',
    },
    new_view_key: {
      title: 'Er is een nieuwe leessleutel',
      text: 'Hij wordt alleen nu getoond. Overlays met de oude verliezen een verborgen uitslag; geef ze het nieuwe adres.',
    },
    new_admin_key: {
      title: 'Er is een nieuwe beheersleutel',
      text: 'Hij wordt alleen nu getoond. Bewaar de nieuwe link; de oude werkt niet meer.',
    },
    comment_removed: { title: 'De reactie is verwijderd', text: 'Ze is weg van alle open pagina’s.' },
    comment_gone: { title: 'De reactie was al weg', text: 'Verder is niets veranderd.' },
    removed: { title: 'De poll is verwijderd', text: 'Alle stemmen, namen en reacties zijn weg.' },
  },
  onAirNow: {
    title: (name: string) => `‘${name}’ toont nu deze poll`,
    text: (address: string) => `De overlay is ${address}`,
  },
  refused: {
    visibility_missing: 'Kies wie de uitslag ziet.',
    moment_missing: 'Kies een dag en een tijd.',
    minutes_missing: 'Kies hoelang de stemming open blijft.',
    page_stale: 'Deze pagina stond te lang open. Druk nog eens op de knop.',
    not_confirmed: (word: string) => `Typ het woord ${word} om te bevestigen. De poll is er nog.`,
    show_not_found:
      'Er is geen show met deze naam. Hij heeft kleine letters, cijfers en streepjes, zoals friday-night.',
    api_key_required: 'Vul de sleutel van de show in.',
    api_key_rejected:
      'Deze sleutel opent deze show niet. Hij begint met show_ en is gegeven toen de show werd gemaakt.',
    deadline_in_past: 'Kies een moment in de toekomst, of sluit de stemming nu.',
    deadline_missing: 'Een uitslag na afloop heeft een einde nodig: kies er eerst een.',
    deadline_passed: 'Het einde is voorbij. Kies eerst een later.',
  },
};
