import type { RefusalPhrases } from '../en/refusal.ts';

export const refusal: RefusalPhrases = {
  toStart: 'Naar de startpagina',
  toPoll: 'Terug naar de poll',
  reasons: {
    cross_site: {
      title: 'Dit kwam van een andere site',
      text: 'Er is niets gedaan. Open de pagina zelf en probeer het daar.',
    },
    page_not_found: {
      title: 'Hier is niets',
      text: 'Misschien is de link afgebroken of verkeerd getypt. Controleer hem en open hem opnieuw.',
    },
    poll_not_found: {
      title: 'Deze poll bestaat niet',
      text: 'Misschien is hij verwijderd, of is de link afgebroken of verkeerd getypt. Er is niets geteld.',
    },
    rehearsal: {
      title: 'Hier stemt niemand',
      text: 'De stemmen van de oefenpoll zijn nagebootst. Ermee kun je programma’s en overlays uitproberen.',
    },
    not_managing: {
      title: 'Deze pagina is voor de maker van de poll',
      text: 'Er is niets veranderd. Open de beheerlink die bij het maken werd getoond.',
    },
    too_large: {
      title: 'Dat was te veel in één keer',
      text: 'Er is niets gedaan. Maak de tekst korter en verstuur opnieuw.',
    },
    bad_request: {
      title: 'Dat was niet te lezen',
      text: 'Er is niets gedaan. Ga terug, laad de pagina opnieuw en probeer het nog eens.',
    },
    rate_limited: {
      title: 'Te veel verzoeken vanaf je netwerk',
      text: 'Met dit verzoek is niets gedaan. Wacht even en probeer het nog eens; wat geteld is, blijft geteld.',
    },
    engine_unavailable: {
      title: 'De stemmen zijn nu niet bereikbaar',
      text: 'Er is niets kwijt. Probeer het zo nog eens.',
    },
    sign_in_unreachable: {
      title: 'Inloggen is nu niet bereikbaar',
      text: 'Er is niets geteld. Probeer het zo nog eens.',
    },
    stopping: { title: 'Deze server start opnieuw op', text: 'Er is niets kwijt. Probeer het zo nog eens.' },
    failed: {
      title: 'Er ging bij ons iets mis',
      text: 'Probeer het zo nog eens. Een stem telt nooit dubbel.',
    },
  },
  signInStopped: {
    title: 'Je bent niet ingelogd',
    text: 'Het inloggen is gestopt of duurde te lang. Er is niets geteld. Open de poll en log opnieuw in.',
  },
  busy: {
    title: 'Je staat in de rij',
    heading: 'Het is hier nu erg druk',
    text: (time: string) =>
      `Je staat in de rij en er is niets kwijt. Deze pagina opent vanzelf over ongeveer ${time}.`,
    quiet: 'Verstuurde stemmen gaan voor. De pagina zelf opnieuw openen helpt niet.',
  },
};
