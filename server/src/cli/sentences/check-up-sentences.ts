// What `karba doctor` and a production start say about each check, in the language of the shell: that it is right, or what to mend.
import type { CheckName, CheckResult } from '../../service/check-up.ts'
import type { Language } from './language.ts'

interface CheckSentences {
  right(found: string): string
  wrong(found: string): string
}

type AllSentences = Readonly<Record<CheckName, CheckSentences>>

const given = (found: string): string => (found === '' ? '' : ` (${found})`)

const ENGLISH: AllSentences = {
  mode: {
    right: () => 'The mode is production.',
    wrong: () => 'The mode is development: set KARBA_MODE=production where real money moves.',
  },
  public_url: {
    right: (found) => `Callers come to ${found}.`,
    wrong: () =>
      'Keys and numbers would travel unprotected: put a TLS proxy in front and set PUBLIC_URL to its https address.',
  },
  proxies: {
    right: (found) => `The proxies are known${given(found)}.`,
    wrong: (found) =>
      found === ''
        ? 'No proxy is listed: set KARBA_TRUST_PROXY to your TLS proxy’s address, or all its callers share the limits of one.'
        : `${found} forwards for others and is not listed: if it is your proxy, add it to KARBA_TRUST_PROXY.`,
  },
  metrics: {
    right: () => '/metrics is not open to strangers.',
    wrong: () => '/metrics is closed: set KARBA_METRICS_TOKEN and give it to Prometheus.',
  },
  mail: {
    right: () => 'Letters to people can leave, or are shown.',
    wrong: () => 'Letters to people wait: set KARBA_SMTP_URL to your mail server, or nobody can reset a password.',
  },
  file_modes: {
    right: () => 'The master key and the database are for the service’s own user alone.',
    wrong: (found) => `Other users can read ${found}: run chmod 600 on it.`,
  },
  database_tls: {
    right: () => 'The way to the database is private.',
    wrong: () => 'The way to PostgreSQL is not encrypted: add sslmode=verify-full to DATABASE_URL.',
  },
  store: {
    right: () => 'The database is not damaged, as far as it can tell itself.',
    wrong: (found) =>
      `The database is damaged (${found}): stop the server, run \`karba verify\`, and restore the latest backup.`,
  },
  clock: {
    right: (found) => `This machine’s clock agrees with the database’s (${found}).`,
    wrong: (found) => `This machine’s clock is ${found} off the database’s: set both by NTP.`,
  },
  disk: {
    right: (found) => `The disk has ${found} free.`,
    wrong: (found) => `The disk has only ${found} free: make room.`,
  },
  open_files: {
    right: (found) => `The limit on open files leaves room for ${found} connections.`,
    wrong: (found) =>
      `A server started from here may open too few files for KARBA_CONNECTIONS (${found}): raise the limit (ulimit -n, LimitNOFILE of systemd, nofile of the container), or lower KARBA_CONNECTIONS.`,
  },
  operators: {
    right: (found) => `Operators are connected${given(found)}.`,
    wrong: () => 'No operator is connected for live: no real payment can be taken.',
  },
  refused_connections: {
    right: () => 'No network refuses a connection for its configuration.',
    wrong: (found) =>
      `Networks refuse us for our configuration: ${found}. \`karba operators list\` says which connections take no payments.`,
  },
  backup: {
    right: (found) => (found === '' ? 'Backups are PostgreSQL’s own.' : `The last backup is ${found} old.`),
    wrong: (found) =>
      found === ''
        ? 'There is no backup yet: run `karba backup` every day.'
        : `The last backup is ${found} old: run \`karba backup\` every day.`,
  },
  demo: {
    right: () => 'The store has no demo people and no demo keys.',
    wrong: (found) =>
      `The store has the printed demo people and keys (${found}): run \`karba demo remove\` before production.`,
  },
}

const FRENCH: AllSentences = {
  mode: {
    right: () => 'Le mode est production.',
    wrong: () => 'Le mode est development : mettez KARBA_MODE=production là où de l’argent réel circule.',
  },
  public_url: {
    right: (found) => `Les appelants viennent à ${found}.`,
    wrong: () =>
      'Les clés et les numéros voyageraient sans protection : placez un proxy TLS devant et donnez son adresse https dans PUBLIC_URL.',
  },
  proxies: {
    right: (found) => `Les proxys sont connus${given(found)}.`,
    wrong: (found) =>
      found === ''
        ? 'Aucun proxy n’est déclaré : donnez l’adresse de votre proxy TLS dans KARBA_TRUST_PROXY, sinon tous ses appelants partagent les limites d’un seul.'
        : `${found} transmet pour d’autres et n’est pas déclaré : si c’est votre proxy, ajoutez-le à KARBA_TRUST_PROXY.`,
  },
  metrics: {
    right: () => '/metrics n’est pas ouvert aux inconnus.',
    wrong: () => '/metrics est fermé : définissez KARBA_METRICS_TOKEN et donnez-le à Prometheus.',
  },
  mail: {
    right: () => 'Les messages peuvent partir, ou sont affichés.',
    wrong: () =>
      'Les messages attendent : donnez votre serveur de courrier dans KARBA_SMTP_URL, sinon personne ne peut changer un mot de passe oublié.',
  },
  file_modes: {
    right: () => 'La clé maîtresse et la base ne sont lisibles que par l’utilisateur du service.',
    wrong: (found) => `D’autres utilisateurs peuvent lire ${found} : exécutez chmod 600.`,
  },
  database_tls: {
    right: () => 'Le chemin vers la base de données est privé.',
    wrong: () => 'Le chemin vers PostgreSQL n’est pas chiffré : ajoutez sslmode=verify-full à DATABASE_URL.',
  },
  store: {
    right: () => 'La base de données ne se trouve aucun dommage.',
    wrong: (found) =>
      `La base de données est endommagée (${found}) : arrêtez le serveur, lancez \`karba verify\`, puis restaurez la dernière sauvegarde.`,
  },
  clock: {
    right: (found) => `L’horloge de cette machine s’accorde avec celle de la base (${found}).`,
    wrong: (found) => `L’horloge de cette machine s’écarte de ${found} de celle de la base : réglez les deux par NTP.`,
  },
  disk: {
    right: (found) => `Le disque a ${found} de libre.`,
    wrong: (found) => `Le disque n’a que ${found} de libre : faites de la place.`,
  },
  open_files: {
    right: (found) => `La limite de fichiers ouverts laisse place à ${found} connexions.`,
    wrong: (found) =>
      `Un serveur démarré d’ici peut ouvrir trop peu de fichiers pour KARBA_CONNECTIONS (${found}) : relevez la limite (ulimit -n, LimitNOFILE de systemd, nofile du conteneur) ou baissez KARBA_CONNECTIONS.`,
  },
  operators: {
    right: (found) => `Des opérateurs sont connectés${given(found)}.`,
    wrong: () => 'Aucun opérateur n’est connecté en live : aucun paiement réel n’est possible.',
  },
  refused_connections: {
    right: () => 'Aucun réseau ne refuse une connexion pour sa configuration.',
    wrong: (found) =>
      `Des réseaux nous refusent à cause de notre configuration : ${found}. \`karba operators list\` dit quelles connexions ne prennent plus de paiements.`,
  },
  backup: {
    right: (found) =>
      found === '' ? 'Les sauvegardes sont celles de PostgreSQL.' : `La dernière sauvegarde a ${found}.`,
    wrong: (found) =>
      found === ''
        ? 'Il n’y a pas encore de sauvegarde : exécutez `karba backup` chaque jour.'
        : `La dernière sauvegarde a ${found} : exécutez \`karba backup\` chaque jour.`,
  },
  demo: {
    right: () => 'La base n’a ni personnes ni clés de démonstration.',
    wrong: (found) =>
      `La base a des personnes et des clés de démonstration affichées au premier démarrage (${found}) : exécutez \`karba demo remove\` avant la production.`,
  },
}

const SENTENCES: Readonly<Record<Language, AllSentences>> = { en: ENGLISH, fr: FRENCH }

export function checkSentence({ name, is, found }: CheckResult, language: Language): string {
  const sentences = SENTENCES[language][name]
  return is === 'right' ? sentences.right(found) : sentences.wrong(found)
}
