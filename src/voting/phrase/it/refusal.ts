import type { RefusalPhrases } from '../en/refusal.ts';

export const refusal: RefusalPhrases = {
  toStart: 'Alla pagina iniziale',
  toPoll: 'Torna al sondaggio',
  reasons: {
    cross_site: {
      title: 'Questo è arrivato da un altro sito',
      text: 'Non è stato fatto nulla. Apri la pagina stessa e prova lì.',
    },
    page_not_found: {
      title: 'Qui non c’è nulla',
      text: 'Forse il link è tagliato o scritto male. Controllalo e riaprilo.',
    },
    poll_not_found: {
      title: 'Questo sondaggio non esiste',
      text: 'Forse è stato eliminato, o il link è tagliato o scritto male. Non è stato contato nulla.',
    },
    rehearsal: {
      title: 'Qui non vota nessuno',
      text: 'I voti del sondaggio di prova sono simulati. Serve a provare programmi e overlay.',
    },
    not_managing: {
      title: 'Questa pagina è per chi ha creato il sondaggio',
      text: 'Non è stato cambiato nulla. Apri il link di gestione mostrato alla creazione.',
    },
    too_large: {
      title: 'Era troppo in una volta',
      text: 'Non è stato fatto nulla. Accorcia il testo e invialo di nuovo.',
    },
    bad_request: {
      title: 'Non è stato possibile leggerlo',
      text: 'Non è stato fatto nulla. Torna indietro, ricarica la pagina e riprova.',
    },
    rate_limited: {
      title: 'Troppe richieste dalla tua rete',
      text: 'Con questa non è stato fatto nulla. Aspetta un momento e riprova; ciò che è contato resta contato.',
    },
    engine_unavailable: {
      title: 'Ora i voti non sono raggiungibili',
      text: 'Nulla è perso. Riprova tra un momento.',
    },
    sign_in_unreachable: {
      title: 'Ora l’accesso non è raggiungibile',
      text: 'Non è stato contato nulla. Riprova tra un momento.',
    },
    stopping: { title: 'Questo server si sta riavviando', text: 'Nulla è perso. Riprova tra un momento.' },
    failed: {
      title: 'Qualcosa è andato storto da noi',
      text: 'Riprova tra un momento. Un voto non conta mai due volte.',
    },
  },
  signInStopped: {
    title: 'Non hai fatto l’accesso',
    text: 'L’accesso è stato interrotto o ha richiesto troppo tempo. Non è stato contato nulla. Apri il sondaggio e accedi di nuovo.',
  },
  busy: {
    title: 'Sei in fila',
    heading: 'Ora c’è molta gente',
    text: (time: string) => `Sei in fila e nulla è perso. Questa pagina si aprirà da sola tra circa ${time}.`,
    quiet: 'I voti inviati passano per primi. Riaprire la pagina non fa prima.',
  },
};
