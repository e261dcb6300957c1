// The texts of the counter screen, one table for each language; `script` goes to the page's script.
const french = {
  title: 'Caisse',
  today: 'Paiements reçus aujourd’hui',
  sound: 'Son',
  full: 'Plein écran',
  other: 'English',
  back: 'Tableau de bord',
  test: 'TEST : bac à sable, aucun argent réel',
  connecting: 'Connexion…',
  none: 'Aucun paiement reçu aujourd’hui. Les paiements apparaissent ici dès qu’ils réussissent.',
  needsScript: 'Cet écran a besoin de JavaScript.',
  script: {
    connected: 'Connecté',
    lost: 'Connexion perdue depuis {time}. Les nouveaux paiements ne s’affichent pas. Nous réessayons…',
    missing: 'Ce compte n’existe pas, ou vous n’y avez pas accès.',
    soundOn: 'Son activé',
    soundTouch: 'Activer le son',
    soundOff: 'Son coupé',
    refunded: 'Remboursé',
    inPart: '{amount} remboursés',
    number: '••\u00a0{digits}',
  },
}

type CounterWords = typeof french

const english: CounterWords = {
  title: 'Counter',
  today: 'Payments received today',
  sound: 'Sound',
  full: 'Full screen',
  other: 'Français',
  back: 'Dashboard',
  test: 'TEST: sandbox, no real money',
  connecting: 'Connecting…',
  none: 'No payment received today. Payments appear here as soon as they succeed.',
  needsScript: 'This screen needs JavaScript.',
  script: {
    connected: 'Connected',
    lost: 'Disconnected since {time}. New payments are not shown. We keep trying…',
    missing: 'This account does not exist, or you have no access to it.',
    soundOn: 'Sound on',
    soundTouch: 'Turn sound on',
    soundOff: 'Sound off',
    refunded: 'Refunded',
    inPart: '{amount} refunded',
    number: '••\u00a0{digits}',
  },
}

export const COUNTER_WORDS: Readonly<Record<'fr' | 'en', CounterWords>> = { fr: french, en: english }
