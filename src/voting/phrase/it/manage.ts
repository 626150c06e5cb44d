import type { ManagePhrases } from '../en/manage.ts';
import type { Parts } from '../wording.ts';

export const manage: ManagePhrases = {
  title: 'Gestione',
  openPage: 'Apri la pagina di voto',
  people: 'Persone',
  votes: 'Voti',
  voting: 'Voto',
  ends: 'Fine',
  screens: 'Schermi',
  closeIn: (minutes: string) => `Chiudi tra ${minutes}`,
  keepOpen: 'Tieni aperto',
  addresses: 'Dove si trova',
  newKey: 'Nuova chiave di lettura',
  newAddress: 'Nuovo indirizzo dell’overlay',
  upcoming: {
    title: 'Il voto non è iniziato',
    text: 'Aprilo, e da allora si accettano voti. Pagine e schermi aperti lo sanno subito.',
    button: 'Apri il voto',
  },
  closed: {
    title: 'Il voto è chiuso',
    text: 'Riaprilo, e da allora si accettano voti. Ciò che è contato resta.',
    button: 'Riapri il voto',
  },
  open: {
    title: 'Il voto è aperto',
    text: 'Chiudilo, e non si accettano più voti. Pagine e schermi aperti lo sanno subito.',
    button: 'Chiudi il voto',
  },
  seenBy: {
    title: 'Chi vede i risultati',
    always: 'Tutti vedono i risultati.',
    after_deadline: 'I risultati sono nascosti e appaiono alla fine del voto.',
    hidden: 'Solo tu e chi ha una chiave di questo sondaggio vedete i risultati.',
  },
  show: {
    always: 'Mostra i risultati',
    after_deadline: 'Mostrali alla fine del voto',
    hidden: 'Nascondi i risultati',
  },
  deadline: {
    title: 'Fine del voto',
    label: 'Fine del voto',
    hint: 'Se resta vuoto, il voto finisce quando lo chiudi.',
    button: 'Cambia la fine',
  },
  ballots: {
    title: 'Schede',
    text: 'Una riga per scheda: quando è stata votata e le sue risposte.',
    textWithNames: 'Una riga per scheda: quando, da chi, e le sue risposte.',
    download: 'Scarica in CSV',
    names: 'Vedi i nomi',
  },
  names: {
    title: 'Nomi',
    heading: 'Chi ha votato',
    back: 'Indietro',
    newest: (shown: string, all: string) => `I ${shown} più recenti di ${all}. Tutti sono nel file CSV.`,
    nobody: 'Ancora nessuno.',
  },
  unvoted: <T>(moment: T): Parts<T> => ['Se nessuno vota, questo sondaggio sarà eliminato il ', moment, '.'],
  viewKey: {
    title: 'Chiave di lettura',
    text: 'Gli overlay la usano per vedere risultati nascosti. Se la tua è circolata, creane una nuova: la vecchia smette subito di valere.',
    button: 'Crea una nuova chiave',
  },
  adminKey: {
    text: 'Chi la possiede può modificare ed eliminare questo sondaggio. Se il tuo link è trapelato, creane una nuova: la vecchia smette subito di valere, anche nelle pagine già aperte.',
    button: 'Crea una nuova chiave di gestione',
  },
  onAir: {
    title: 'Programma',
    text: <T>(address: T): Parts<T> => [
      'Un overlay su ',
      address,
      ' segue il sondaggio indicato dal suo programma.',
    ],
    name: 'Nome del programma',
    nameHint: 'Minuscole, cifre e trattini.',
    key: 'Chiave del programma',
    keyHint: 'Inizia con show_ ed è stata data alla creazione del programma.',
    button: 'Mostra lì questo sondaggio',
  },
  comments: {
    title: 'Commenti',
    none: 'Ancora nessun commento.',
    remove: 'Rimuovi',
    removeBy: (name: string) => `Rimuovi il commento di ${name}`,
  },
  remove: {
    title: 'Elimina questo sondaggio',
    text: 'Se ne vanno tutti i voti, i nomi e i commenti, e ogni schermo che lo mostra resta vuoto. Nessuno può recuperarlo.',

    word: 'elimina',
    confirm: <T>(word: T): Parts<T> => ['Scrivi la parola ', word],
    button: 'Elimina per sempre',
  },
  key: {
    heading: 'Gestisci un sondaggio',
    label: 'Chiave di gestione',
    hint: 'Inizia con admin_ e fa parte del link di gestione.',
    open: 'Continua',
    rejected: 'Questa chiave non gestisce questo sondaggio',
    rejectedText:
      'Non è stato cambiato nulla. Usa tutto il link ricevuto alla creazione; una chiave di lettura mostra solo i risultati.',
  },
  unchanged: 'Non è stato cambiato nulla',
  done: {
    shown: { title: 'I risultati sono visibili', text: 'Tutti gli schermi e le pagine aperti li hanno.' },
    waiting: {
      title: 'I risultati aspettano la fine',
      text: 'Ora sono nascosti e appariranno alla fine del voto.',
    },
    hidden: {
      title: 'I risultati sono nascosti',
      text: 'Ora li vedete solo tu e chi ha una chiave di questo sondaggio.',
    },
    closed: { title: 'Il voto è chiuso', text: 'Non si accettano più voti. Puoi riaprirlo.' },
    opened: { title: 'Il voto è aperto', text: 'Da ora si accettano voti.' },
    reopened: { title: 'Il voto è di nuovo aperto', text: 'Da ora si accettano voti.' },
    reopened_without_end: {
      title: 'Il voto è di nuovo aperto',
      text: 'Da ora si accettano voti. La fine già passata non vale più: chiudi a mano o impostane un’altra.',
    },
    no_deadline: { title: 'Ora non c’è una fine fissata', text: 'Il voto finisce quando lo chiudi.' },
    new_deadline: {
      title: 'La fine è cambiata',
      text: 'Tutte le pagine aperte contano verso la nuova.',
    },
    new_view_key: {
      title: 'C’è una nuova chiave di lettura',
      text: 'È mostrata solo questa volta. Gli overlay con la vecchia perdono i risultati nascosti; dai loro il nuovo indirizzo.',
    },
    new_admin_key: {
      title: 'C’è una nuova chiave di gestione',
      text: 'È mostrata solo questa volta. Salva il nuovo link: il vecchio non funziona più.',
    },
    comment_removed: { title: 'Il commento è stato rimosso', text: 'È sparito da ogni pagina aperta.' },
    comment_gone: { title: 'Il commento non c’era già più', text: 'Nient’altro è cambiato.' },
    removed: { title: 'Il sondaggio è stato eliminato', text: 'Voti, nomi e commenti non ci sono più.' },
  },
  onAirNow: {
    title: (name: string) => `«${name}» mostra ora questo sondaggio`,
    text: (address: string) => `Il suo overlay è ${address}`,
  },
  refused: {
    visibility_missing: 'Scegli chi vede i risultati.',
    moment_missing: 'Scegli un giorno e un’ora.',
    minutes_missing: 'Scegli per quanto il voto resta aperto.',
    page_stale: 'Questa pagina è rimasta aperta troppo a lungo. Premi di nuovo il pulsante.',
    not_confirmed: (word: string) => `Scrivi la parola ${word} per confermare. Il sondaggio c’è ancora.`,
    show_not_found:
      'Non c’è un programma con questo nome. Ha minuscole, cifre e trattini, come friday-night.',
    api_key_required: 'Scrivi la chiave del programma.',
    api_key_rejected:
      'Questa chiave non apre questo programma. Inizia con show_ ed è stata data alla creazione del programma.',
    deadline_in_past: 'Scegli un momento futuro, o chiudi il voto ora.',
    deadline_missing: 'Per i risultati alla fine serve una fine: impostala prima.',
    deadline_passed: 'La fine è passata. Prima impostane una più tardi.',
  },
};
