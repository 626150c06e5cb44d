import type { VotePhrases } from '../en/vote.ts';
import type { Parts } from '../wording.ts';

const KEPT = 'La tua scelta è ancora lì.';

export const vote: VotePhrases = {
  start: {
    lead: 'Fai una domanda, condividi il link e guarda arrivare le risposte.',
    preview: 'Vota e segui i risultati in diretta.',
    create: 'Crea un sondaggio',
    publicPolls: 'Sondaggi pubblici',
    none: 'Ancora nessun sondaggio pubblico. Il primo potrebbe essere il tuo.',
    ended: 'Il voto è terminato',
    upcoming: 'Il voto non è iniziato',
    open: 'Aperto',
    openUntil: <T>(moment: T): Parts<T> => ['Aperto fino al ', moment],
  },
  preview: 'Vota e guarda i risultati in diretta.',
  chooseOne: 'Scegline una',
  chooseSeveral: 'Scegline una o più',
  vote: 'Vota',
  yourName: 'Il tuo nome',
  nameHint: 'Chi ha creato il sondaggio lo vede accanto al tuo voto.',
  needsScript:
    'Per votare serve JavaScript, che verifica che tu sia una persona. Consentilo per questo sito e ricarica la pagina.',
  peek: 'Guarda i risultati senza votare',
  counted: {
    title: 'Il tuo voto conta',
    text: <T>(choices: T): Parts<T> => ['Hai scelto ', choices, '.'],
  },
  upcoming: { title: 'Il voto non è iniziato', text: 'Potrai votare qui appena inizia.' },
  ended: { title: 'Il voto è terminato', text: 'Questo sondaggio non accetta più voti.' },
  signIn: {
    missing:
      'Qui vota solo chi ha fatto l’accesso, e su questo sito l’accesso non è configurato. Solo chi lo gestisce può cambiarlo.',
    needed: 'Qui vota solo chi ha fatto l’accesso. Il tuo account non viene salvato con il voto.',
    begin: (provider: string) => `Accedi con ${provider}`,
    done: (provider: string) => `Hai fatto l’accesso con ${provider}.`,
    end: 'Esci',
  },
  unreachable: {
    title: 'Ora i voti non sono raggiungibili',
    text: 'Non sappiamo ancora se il tuo voto è stato contato. Premi il pulsante finché lo sai: non può contare due volte.',
  },
  comments: {
    title: 'Commenti',
    yours: 'Il tuo commento',
    name: 'Nome',
    optional: '(facoltativo)',
    send: 'Invia commento',
    none: 'Ancora nessun commento.',
    notSent: 'Il tuo commento non è stato inviato',
    voteFirst: 'Può commentare solo chi ha votato in questo sondaggio.',
    foreignForm: 'Il modulo è di un’altra visita. Invialo di nuovo da qui.',
    noText: 'È ancora vuoto. Scrivi qualcosa e invialo di nuovo.',
    longText: (most: string) => `Supera ${most} caratteri. Accorcialo e invialo di nuovo.`,
    badText: 'Contiene caratteri che non si possono mostrare. Cambialo e invialo di nuovo.',
    badName: (most: string) =>
      `Questo nome non va: fino a ${most} caratteri, nessuno di controllo. Cambialo e invialo di nuovo.`,
  },
  vpnSeen: 'Sembra che tu ne usi una. Disattivala prima di votare.',
  notCounted: {
    duplicate_voter: {
      title: 'Hai già votato qui',
      text: 'Il tuo primo voto conta e resta com’è. Questo non è stato contato.',
    },
    duplicate_account: {
      title: 'Questo account ha già votato',
      text: 'Il primo voto del tuo account conta e resta com’è. Questo non è stato contato.',
    },
    duplicate_address: {
      title: 'La tua rete ha già votato',
      text: 'Questo sondaggio accetta un voto per rete, quindi questo non è stato contato. Se era un’altra persona, vota da un’altra rete, per esempio con i dati mobili.',
    },
    poll_closed: {
      title: 'Il voto è terminato',
      text: 'Il tuo voto è arrivato dopo la fine e non è stato contato.',
    },
    poll_not_open: {
      title: 'Il voto non è iniziato',
      text: `Il tuo voto è arrivato prima dell’inizio e non è stato contato. Premi «Vota» quando il voto inizia. ${KEPT}`,
    },
    proof_used: {
      title: 'Quella verifica è già stata usata',
      text: `Questo tentativo non è stato contato. È in corso una nuova verifica: premi di nuovo «Vota». ${KEPT}`,
    },
    no_answer: {
      title: 'Scegli prima una risposta',
      text: 'Non è stato ancora contato nulla. Scegli, poi premi «Vota».',
    },
    too_many_answers: {
      title: 'Scegli una sola risposta',
      text: 'Questo sondaggio accetta una risposta a persona. Non è stato ancora contato nulla. Scegline una, poi premi «Vota».',
    },
    unknown_answer: {
      title: 'Questa risposta non fa parte del sondaggio',
      text: 'Non è stato ancora contato nulla. Scegli una delle risposte qui sotto, poi premi «Vota».',
    },
    name_missing: {
      title: 'Manca il tuo nome',
      text: `Questo sondaggio chiede un nome. Non è stato ancora contato nulla: scrivilo e premi «Vota». ${KEPT}`,
    },
    name_unusable: {
      title: 'Questo nome non va',
      text: `Un nome ha fino a 80 caratteri e nessuno di controllo. Non è stato ancora contato nulla: cambialo e premi «Vota». ${KEPT}`,
    },
    cookie_missing: {
      title: 'Il tuo browser non ha inviato il nostro cookie',
      text: `Senza non distinguiamo i votanti, quindi non è stato contato nulla. Consenti i cookie per questo sito e premi «Vota». ${KEPT}`,
    },
    form_foreign: {
      title: 'Questo modulo è di un’altra visita',
      text: `Non è stato ancora contato nulla. Eccone uno nuovo: premi di nuovo «Vota». ${KEPT}`,
    },
    vpn_refused: {
      title: 'Questo sondaggio non accetta voti via VPN',
      text: `Il tuo voto non è stato contato. Disattiva la VPN e premi di nuovo «Vota». ${KEPT}`,
    },
    signed_out: {
      title: 'Accedi per votare',
      text: 'Il tuo voto non è stato ancora contato. Accedi, poi scegli e premi «Vota».',
    },
    sign_in_missing: {
      title: 'Qui l’accesso non è configurato',
      text: 'Qui vota solo chi ha fatto l’accesso, e questo sito non lo offre ancora. Il tuo voto non è stato contato. Solo chi lo gestisce può cambiarlo.',
    },
    check_missing: {
      title: 'La verifica che tu sia una persona non è partita',
      text: `Serve JavaScript, e questo tentativo non è stato contato. Aspetta che finisca e premi di nuovo «Vota». ${KEPT}`,
    },
    check_expired: {
      title: 'Questa pagina è rimasta aperta a lungo',
      text: `La verifica che tu sia una persona è scaduta. Premi di nuovo «Vota»; non può contare due volte. ${KEPT}`,
    },
    check_failed: {
      title: 'La verifica che tu sia una persona è fallita',
      text: `Questo tentativo non è stato contato. È in corso una nuova verifica: premi di nuovo «Vota». ${KEPT}`,
    },
    check_unreachable: {
      title: 'La verifica che tu sia una persona non è raggiungibile',
      text: `Questo tentativo non è stato contato. Aspetta un momento e premi di nuovo «Vota»; non può contare due volte. ${KEPT}`,
    },
  },
};
