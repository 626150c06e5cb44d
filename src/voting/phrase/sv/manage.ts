import type { ManagePhrases } from '../en/manage.ts';
import type { Parts } from '../wording.ts';

export const manage: ManagePhrases = {
  title: 'Hantera',
  openPage: 'Öppna röstsidan',
  people: 'Personer',
  votes: 'Röster',
  voting: 'Röstning',
  ends: 'Slutar',
  screens: 'Skärmar',
  closeIn: (minutes: string) => `Stäng om ${minutes}`,
  keepOpen: 'Håll den öppen',
  addresses: 'Var den finns',
  newKey: 'Ny läsnyckel',
  newAddress: 'Ny overlayadress',
  upcoming: {
    title: 'Röstningen har inte börjat',
    text: 'Öppna den, och från då tas röster emot. Öppna sidor och skärmar får veta det genast.',
    button: 'Öppna röstningen',
  },
  closed: {
    title: 'Röstningen är stängd',
    text: 'Öppna den igen, och från då tas röster emot. Det som räknats står kvar.',
    button: 'Öppna röstningen igen',
  },
  open: {
    title: 'Röstningen är öppen',
    text: 'Stäng den, och inga fler röster tas emot. Öppna sidor och skärmar får veta det genast.',
    button: 'Stäng röstningen',
  },
  seenBy: {
    title: 'Vem som ser resultatet',
    always: 'Alla ser resultatet.',
    after_deadline: 'Resultatet är dolt och visas när röstningen är slut.',
    hidden: 'Bara du och den som har en nyckel till omröstningen ser resultatet.',
  },
  show: {
    always: 'Visa resultatet',
    after_deadline: 'Visa när röstningen är slut',
    hidden: 'Dölj resultatet',
  },
  deadline: {
    title: 'Sluttid',
    label: 'Röstningen slutar',
    hint: 'Lämnas det tomt slutar den när du stänger den.',
    button: 'Ändra sluttiden',
  },
  ballots: {
    title: 'Röstsedlar',
    text: 'En rad per röstsedel: när den lades och dess svar.',
    textWithNames: 'En rad per röstsedel: när den lades, av vem, och dess svar.',
    download: 'Ladda ner som CSV',
    names: 'Se namnen',
  },
  names: {
    title: 'Namn',
    heading: 'Vilka som röstat',
    back: 'Tillbaka',
    newest: (shown: string, all: string) => `De senaste ${shown} av ${all}. Alla finns i CSV-filen.`,
    nobody: 'Ingen än.',
  },
  unvoted: <T>(moment: T): Parts<T> => ['Om ingen röstar raderas omröstningen den ', moment, '.'],
  viewKey: {
    title: 'Läsnyckel',
    text: 'Overlayer bär den för att se dolda resultat. Har din spridits, gör en ny: den gamla slutar gälla genast.',
    button: 'Gör en ny läsnyckel',
  },
  adminKey: {
    text: 'Den som har den kan ändra och radera omröstningen. Har din länk läckt, skapa en ny: den gamla slutar gälla direkt, även på sidor som redan är öppna.',
    button: 'Skapa en ny adminnyckel',
  },
  onAir: {
    title: 'Show',
    text: <T>(address: T): Parts<T> => [
      'En overlay på ',
      address,
      ' följer den omröstning som dess show pekar på.',
    ],
    name: 'Showens namn',
    nameHint: 'Små bokstäver, siffror och bindestreck.',
    key: 'Showens nyckel',
    keyHint: 'Den börjar med show_ och gavs när showen skapades.',
    button: 'Visa omröstningen där',
  },
  comments: {
    title: 'Kommentarer',
    none: 'Inga kommentarer än.',
    remove: 'Ta bort',
    removeBy: (name: string) => `Ta bort kommentaren av ${name}`,
  },
  remove: {
    title: 'Ta bort omröstningen',
    text: 'Alla röster, namn och kommentarer följer med, och varje skärm som visar den blir tom. Ingen kan få tillbaka den.',

    word: 'radera',
    confirm: <T>(word: T): Parts<T> => ['Skriv ordet ', word],
    button: 'Ta bort för alltid',
  },
  key: {
    heading: 'Hantera en omröstning',
    label: 'Adminnyckel',
    hint: 'Den börjar med admin_ och är en del av hanteringslänken.',
    open: 'Fortsätt',
    rejected: 'Nyckeln hör inte till den här omröstningen',
    rejectedText:
      'Inget ändrades. Använd hela länken du fick när den skapades; en läsnyckel visar bara resultat.',
  },
  unchanged: 'Inget ändrades',
  done: {
    shown: { title: 'Resultatet visas', text: 'Alla öppna skärmar och sidor har det nu.' },
    waiting: {
      title: 'Resultatet väntar på slutet',
      text: 'Det är dolt nu och visas när röstningen är slut.',
    },
    hidden: {
      title: 'Resultatet är dolt',
      text: 'Bara du och den som har en nyckel till omröstningen ser det nu.',
    },
    closed: { title: 'Röstningen är stängd', text: 'Inga fler röster tas emot. Du kan öppna den igen.' },
    opened: { title: 'Röstningen är öppen', text: 'Från nu tas röster emot.' },
    reopened: { title: 'Röstningen är öppen igen', text: 'Från nu tas röster emot.' },
    reopened_without_end: {
      title: 'Röstningen är öppen igen',
      text: 'Från nu tas röster emot. Sluttiden som passerat gäller inte längre: stäng för hand eller sätt en ny.',
    },
    no_deadline: { title: 'Det finns ingen sluttid nu', text: 'Röstningen slutar när du stänger den.' },
    new_deadline: {
      title: 'Sluttiden är ändrad',
      text: 'Alla öppna sidor räknar ner till den nya.',
    },
    new_view_key: {
      title: 'Det finns en ny läsnyckel',
      text: 'Den visas bara den här gången. Overlayer med den gamla tappar dolda resultat; ge dem den nya adressen.',
    },
    new_admin_key: {
      title: 'Det finns en ny adminnyckel',
      text: 'Den visas bara den här gången. Spara den nya länken; den gamla fungerar inte längre.',
    },
    comment_removed: { title: 'Kommentaren är borttagen', text: 'Den är borta från alla öppna sidor.' },
    comment_gone: { title: 'Kommentaren var redan borta', text: 'Inget annat ändrades.' },
    removed: { title: 'Omröstningen är borttagen', text: 'Alla dess röster, namn och kommentarer är borta.' },
  },
  onAirNow: {
    title: (name: string) => `”${name}” visar omröstningen nu`,
    text: (address: string) => `Dess overlay är ${address}`,
  },
  refused: {
    visibility_missing: 'Välj vem som ser resultatet.',
    moment_missing: 'Välj dag och tid.',
    minutes_missing: 'Välj hur länge röstningen är öppen.',
    page_stale: 'Sidan var öppen för länge. Tryck på knappen igen.',
    not_confirmed: (word: string) => `Skriv ordet ${word} för att bekräfta. Omröstningen finns kvar.`,
    show_not_found:
      'Det finns ingen show med det namnet. Det har små bokstäver, siffror och bindestreck, som friday-night.',
    api_key_required: 'Fyll i showens nyckel.',
    api_key_rejected:
      'Nyckeln öppnar inte den här showen. Den börjar med show_ och gavs när showen skapades.',
    deadline_in_past: 'Välj en tid i framtiden, eller stäng röstningen nu.',
    deadline_missing: 'Resultat vid slutet kräver ett slut: sätt en sluttid först.',
    deadline_passed: 'Sluttiden har passerat. Sätt en senare först.',
  },
};
