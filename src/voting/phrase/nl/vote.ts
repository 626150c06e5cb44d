import type { VotePhrases } from '../en/vote.ts';
import type { Parts } from '../wording.ts';

const KEPT = 'Je keuze staat er nog.';

export const vote: VotePhrases = {
  start: {
    lead: 'Stel een vraag, deel de link en zie de antwoorden binnenkomen.',
    preview: 'Stem en volg de uitslag live.',
    create: 'Poll maken',
    publicPolls: 'Openbare polls',
    none: 'Nog geen openbare polls. De eerste kan van jou zijn.',
    ended: 'De stemming is afgelopen',
    upcoming: 'De stemming is nog niet begonnen',
    open: 'Open',
    openUntil: <T>(moment: T): Parts<T> => ['Open tot ', moment],
  },
  preview: 'Stem en zie de uitslag live.',
  chooseOne: 'Kies er een',
  chooseSeveral: 'Kies er een of meer',
  vote: 'Stemmen',
  yourName: 'Je naam',
  nameHint: 'De maker van deze poll ziet hem naast je stem.',
  needsScript:
    'Stemmen heeft JavaScript nodig, om te controleren of je een mens bent. Sta het toe voor deze site en laad de pagina opnieuw.',
  peek: 'Uitslag bekijken zonder te stemmen',
  counted: {
    title: 'Je stem telt',
    text: <T>(choices: T): Parts<T> => ['Je koos ', choices, '.'],
  },
  upcoming: { title: 'De stemming is nog niet begonnen', text: 'Je kunt hier stemmen zodra het begint.' },
  ended: { title: 'De stemming is afgelopen', text: 'In deze poll kan niet meer gestemd worden.' },
  signIn: {
    missing:
      'Hier stemmen alleen mensen die zijn ingelogd, en inloggen is op deze site niet ingesteld. Alleen de beheerder kan dat veranderen.',
    needed: 'Hier stemmen alleen mensen die zijn ingelogd. Je account wordt niet bij je stem bewaard.',
    begin: (provider: string) => `Inloggen met ${provider}`,
    done: (provider: string) => `Je bent ingelogd met ${provider}.`,
    end: 'Uitloggen',
  },
  unreachable: {
    title: 'De stemmen zijn nu niet bereikbaar',
    text: 'We weten nog niet of je stem is geteld. Druk op de knop tot je het hoort: hij kan niet twee keer tellen.',
  },
  comments: {
    title: 'Reacties',
    yours: 'Je reactie',
    name: 'Naam',
    optional: '(mag leeg blijven)',
    send: 'Reactie versturen',
    none: 'Nog geen reacties.',
    notSent: 'Je reactie is niet verstuurd',
    voteFirst: 'Alleen wie in deze poll heeft gestemd, kan reageren.',
    foreignForm: 'Het formulier hoort bij een ander bezoek. Verstuur het hier opnieuw.',
    noText: 'Er staat nog niets in. Schrijf iets en verstuur opnieuw.',
    longText: (most: string) => `Langer dan ${most} tekens. Maak het korter en verstuur opnieuw.`,
    badText: 'Er staan tekens in die niet getoond kunnen worden. Pas het aan en verstuur opnieuw.',
    badName: (most: string) =>
      `Die naam kan niet: hoogstens ${most} tekens, geen stuurtekens. Pas hem aan en verstuur opnieuw.`,
  },
  vpnSeen: 'Je lijkt er een te gebruiken. Zet hem uit voor je stemt.',
  notCounted: {
    duplicate_voter: {
      title: 'Je hebt hier al gestemd',
      text: 'Je eerste stem telt en blijft zoals hij is. Deze is niet geteld.',
    },
    duplicate_account: {
      title: 'Dit account heeft al gestemd',
      text: 'De eerste stem van je account telt en blijft zoals hij is. Deze is niet geteld.',
    },
    duplicate_address: {
      title: 'Je netwerk heeft al gestemd',
      text: 'Deze poll neemt één stem per netwerk aan, dus deze is niet geteld. Was het iemand anders, stem dan via een ander netwerk, bijvoorbeeld mobiel.',
    },
    poll_closed: {
      title: 'De stemming is afgelopen',
      text: 'Je stem kwam na het einde en is niet geteld.',
    },
    poll_not_open: {
      title: 'De stemming is nog niet begonnen',
      text: `Je stem kwam voor het begin en is niet geteld. Druk op ‘Stemmen’ zodra het begonnen is. ${KEPT}`,
    },
    proof_used: {
      title: 'Die controle is al gebruikt',
      text: `Deze poging is niet geteld. Er loopt een nieuwe controle: druk nog eens op ‘Stemmen’. ${KEPT}`,
    },
    no_answer: {
      title: 'Kies eerst een antwoord',
      text: 'Er is nog niets geteld. Kies, en druk dan op ‘Stemmen’.',
    },
    too_many_answers: {
      title: 'Kies maar één antwoord',
      text: 'Deze poll neemt één antwoord per persoon aan. Er is nog niets geteld. Kies er een, en druk dan op ‘Stemmen’.',
    },
    unknown_answer: {
      title: 'Dat antwoord hoort niet bij deze poll',
      text: 'Er is nog niets geteld. Kies een van de antwoorden hieronder, en druk dan op ‘Stemmen’.',
    },
    name_missing: {
      title: 'Je naam ontbreekt',
      text: `Deze poll vraagt om een naam. Er is nog niets geteld: vul hem in en druk op ‘Stemmen’. ${KEPT}`,
    },
    name_unusable: {
      title: 'Die naam kan niet',
      text: `Een naam heeft hoogstens 80 tekens en geen stuurtekens. Er is nog niets geteld: pas hem aan en druk op ‘Stemmen’. ${KEPT}`,
    },
    cookie_missing: {
      title: 'Je browser stuurde onze cookie niet mee',
      text: `Zonder cookie houden we stemmers niet uit elkaar, dus er is niets geteld. Sta cookies toe voor deze site en druk op ‘Stemmen’. ${KEPT}`,
    },
    form_foreign: {
      title: 'Dit formulier hoort bij een ander bezoek',
      text: `Er is nog niets geteld. Hier is een nieuw: druk nog eens op ‘Stemmen’. ${KEPT}`,
    },
    vpn_refused: {
      title: 'Deze poll neemt geen stemmen via een VPN aan',
      text: `Je stem is niet geteld. Zet de VPN uit en druk nog eens op ‘Stemmen’. ${KEPT}`,
    },
    signed_out: {
      title: 'Log in om te stemmen',
      text: 'Je stem is nog niet geteld. Log in, kies en druk op ‘Stemmen’.',
    },
    sign_in_missing: {
      title: 'Inloggen is hier niet ingesteld',
      text: 'Hier stemmen alleen mensen die zijn ingelogd, en deze site heeft nog geen inlog. Je stem is niet geteld. Alleen de beheerder kan dat veranderen.',
    },
    check_missing: {
      title: 'De controle of je een mens bent liep niet',
      text: `Ze heeft JavaScript nodig, en deze poging is niet geteld. Wacht tot ze klaar is en druk nog eens op ‘Stemmen’. ${KEPT}`,
    },
    check_expired: {
      title: 'Deze pagina stond lang open',
      text: `De controle of je een mens bent is verlopen. Druk nog eens op ‘Stemmen’; niets telt dubbel. ${KEPT}`,
    },
    check_failed: {
      title: 'De controle of je een mens bent is mislukt',
      text: `Deze poging is niet geteld. Er loopt een nieuwe controle: druk nog eens op ‘Stemmen’. ${KEPT}`,
    },
    check_unreachable: {
      title: 'De controle of je een mens bent is niet bereikbaar',
      text: `Deze poging is niet geteld. Wacht even en druk nog eens op ‘Stemmen’; niets telt dubbel. ${KEPT}`,
    },
  },
};
