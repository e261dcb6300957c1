// What our emails say, in both languages. emails.ts looks the facts up.

import { localDate } from '../../domain/countries/business-day.ts'
import { operatorName } from '../../domain/countries/country.ts'
import type { AccountStatus, Environment } from '../../domain/environment.ts'
import type { MoneyChangeDetail, MoneyChangeState } from '../../domain/merchants/money-change.ts'
import { writeAmount } from '../../domain/payments/money.ts'
import type { OwnerChange } from '../../domain/people/owner.ts'
import { MERCHANT_ROLE_WORDS, type MerchantRole } from '../../domain/people/role.ts'
import type { Language } from '../../domain/texts/language.ts'

/** What comes before the address, the button that opens it, and what comes after it. */
export type Wording = [subject: string, before: string, button: string, after?: string]

/**
 * An email to an unconfirmed address has no text of a user, not even a name: a stranger may have
 * signed up with it.
 */
export interface EmailWords {
  hello: string
  /** In the subject of an email about a sandbox account. */
  sandbox: string
  /** At the end of an email that a person can switch off. */
  footer: string
  password_reset: Wording
  password_changed: Wording
  invitation(facts: { merchant: string; inviter: string; role: MerchantRole }): Wording
  confirm_address: Wording
  /** Instead of confirm_address, when the address has an account already. */
  has_account: Wording
  /** Instead of password_reset, while the address is not confirmed. */
  take_over: Wording
  account_status: Record<
    AccountStatus,
    (facts: {
      merchant: string
      environment: Environment
      reason: string
      hasSecretKey: boolean
    }) => Wording
  >
  endpoint_failing(facts: { url: string; since: number; lastStatusCode: number | null }): Wording
  late_money(facts: {
    merchant: string
    amountXof: number
    publicReference: string
    isStaff: boolean
  }): Wording
  file_waiting(facts: { merchant: string }): Wording
  refund_waiting(facts: { merchant: string; amountXof: number }): Wording
  new_sign_in(facts: { network: string; at: number }): Wording
  money_change: Record<Exclude<MoneyChangeState, 'replaced'>, (facts: MoneyChangeFacts) => Wording>
  owner_change: Record<OwnerChange, (facts: OwnerChangeFacts) => Wording>
}

export interface OwnerChangeFacts {
  merchant: string
  /** The name of the person, or the address that was invited. */
  who: string
  /** Empty where the service did it. */
  by: string
  at: number
  isStaff: boolean
}

export interface MoneyChangeFacts {
  merchant: string
  detail: MoneyChangeDetail
  /** The names of who asked, and of who confirmed or rejected; empty where the service did. */
  asker: string
  decider: string
  /** When it was asked, when it was decided, and when it ends undecided. */
  askedAt: number
  decidedAt: number
  endsAt: number
  isStaff: boolean
}

function quoted(name: string, without: string, language: Language = 'fr'): string {
  if (name === '') return without
  return language === 'fr' ? `« ${name} »` : `“${name}”`
}

/** An email to the staff is about somebody else’s business. */
const ofMerchantFr = (merchant: string, isStaff: boolean): string =>
  quoted(merchant, isStaff ? 'un marchand' : 'votre commerce')

const ofMerchantEn = (merchant: string, isStaff: boolean): string =>
  quoted(merchant, isStaff ? 'a merchant' : 'your business', 'en')

/** `de Sani`, `d’Awa` */
const ofFr = (name: string): string =>
  /^[aeiouàâäæéèêëîïôöœùûü]/i.test(name) ? `d’${name}` : `de ${name}`

/** Owners decide where the money goes. */
const ownerChangeFr = ({ merchant, by, at, isStaff }: OwnerChangeFacts, what: string): string =>
  `${what} chez ${ofMerchantFr(merchant, isStaff)}, depuis le ${timeText(at, 'fr')}. Fait par ${by || 'le service'}. Les propriétaires décident où va l’argent.

${isStaff ? 'Pour voir ce marchand :' : 'Si vous ne l’attendiez pas, changez votre mot de passe et prévenez-nous tout de suite :'}`

const ownerChangeEn = ({ merchant, by, at, isStaff }: OwnerChangeFacts, what: string): string =>
  `${what} at ${ofMerchantEn(merchant, isStaff)}, since ${timeText(at, 'en')}. Made by ${by || 'the service'}. Owners decide where the money goes.

${isStaff ? 'To see this merchant:' : 'If you did not expect it, change your password and tell us at once:'}`

const teamButtonFr = ({ isStaff }: OwnerChangeFacts): string =>
  isStaff ? 'Voir le marchand' : 'Voir l’équipe'
const teamButtonEn = ({ isStaff }: OwnerChangeFacts): string =>
  isStaff ? 'See the merchant' : 'See the team'

/** The subject of a sentence about an account. */
const accountFr = (merchant: string): string =>
  merchant === '' ? 'votre compte' : `le compte de « ${merchant} »`

const motive = (before: string, reason: string): string =>
  reason === '' ? '' : `\n\n${before}${reason}`

const LOCALES: Readonly<Record<Language, string>> = { fr: 'fr-FR', en: 'en-GB' }

/** `31 mars 2026 à 14:05`, by the clock of the books. */
const timeText = (at: number, language: Language): string =>
  new Intl.DateTimeFormat(LOCALES[language], {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
  }).format(localDate(at))

/** What changes, as the object of a sentence. */
function moneyChangeFr(detail: MoneyChangeDetail): string {
  if (detail.kind === 'pi_alias') return `l’alias PI-SPI des affiches devient ${detail.alias}`
  const name = quoted(detail.label, 'sans nom')
  return detail.kind === 'connection'
    ? `nouvelle connexion ${name} (${servedNames(detail.serves, 'fr')}), dont les paiements iront à un autre compte`
    : `nouveaux identifiants de la connexion ${name}`
}

function moneyChangeEn(detail: MoneyChangeDetail): string {
  if (detail.kind === 'pi_alias') return `the PI-SPI alias of the posters becomes ${detail.alias}`
  const name = quoted(detail.label, 'without a name', 'en')
  return detail.kind === 'connection'
    ? `a new connection ${name} (${servedNames(detail.serves, 'en')}), whose payments will go to another account`
    : `new credentials for the connection ${name}`
}

const servedNames = (serves: string, language: Language): string =>
  serves
    .split(',')
    .map((each) => operatorName(each, language))
    .join(', ')

/** Of a new live account: it has a public key only. */
const FIRST_STEPS: Readonly<Record<Language, string>> = {
  fr: `

Les trois premiers pas, dans le tableau de bord en mode Production :

1. Pour votre site, créez votre clé secrète de production dans Développeurs : il n’y en a pas encore, et elle n’est affichée qu’une fois.

2. Créez un premier lien dans Liens de paiement.

3. Payez vous-même 100 F par ce lien : ce premier vrai paiement apparaît dans Paiements.`,
  en: `

The first three steps, in the dashboard in live mode:

1. For your site, create your live secret key under Developers: there is none yet, and it is shown only once.

2. Create a first link under Payment links.

3. Pay 100 F yourself with this link: this first real payment appears under Payments.`,
}

export const EMAIL_WORDS: Readonly<Record<Language, EmailWords>> = {
  fr: {
    hello: 'Bonjour',
    sandbox: 'bac à sable',
    footer:
      'Vous pouvez désactiver ces e-mails dans le tableau de bord : ouvrez Sécurité, puis E-mails.',
    account_status: {
      validated: ({ merchant, environment, hasSecretKey }) => [
        `Karba : ${accountFr(merchant)} est validé`,
        environment === 'live'
          ? `Bonne nouvelle : ${accountFr(merchant)} est validé. Vous pouvez encaisser de vrais paiements.${hasSecretKey ? '' : FIRST_STEPS.fr}

Pour ouvrir le tableau de bord en mode Production :`
          : `Le bac à sable de ${quoted(merchant, 'votre compte')} est ouvert à nouveau. Pour l’utiliser :`,
        environment === 'live' ? 'Ouvrir le tableau de bord' : 'Ouvrir le bac à sable',
      ],
      unvalidated: ({ merchant, environment, reason }) => [
        `Karba : ${accountFr(merchant)} n’est pas validé`,
        `${environment === 'live' ? 'Le compte de production' : 'Le bac à sable'} de ${quoted(merchant, 'votre commerce')} n’est pas validé : il ne peut pas encaisser de ${environment === 'live' ? 'vrais paiements' : 'paiements de test'}.${motive('Motif : ', reason)}

Corrigez votre dossier, puis demandez la validation :`,
        'Corriger mon dossier',
      ],
      suspended: ({ merchant, environment, reason }) => [
        `Karba : ${accountFr(merchant)} est suspendu`,
        `${environment === 'live' ? 'Le compte de production' : 'Le bac à sable'} de ${quoted(merchant, 'votre commerce')} est suspendu : il n’accepte plus de paiements.${motive('Motif : ', reason)}

Pour consulter votre compte :`,
        'Voir mon compte',
      ],
    },
    endpoint_failing: ({ url, since, lastStatusCode }) => [
      'Karba : vos webhooks n’arrivent plus',
      `Depuis le ${timeText(since, 'fr')}, votre site n’est plus prévenu de vos paiements : nos messages (webhooks) n’arrivent plus à ${url} (${lastStatusCode === null ? 'aucune réponse' : `réponse ${lastStatusCode}`}). Nous réessayons pendant trois jours, et chaque événement reste dans votre tableau de bord.

Pour voir les envois et leurs réponses :`,
      'Voir les envois',
    ],
    late_money: ({ merchant, amountXof, publicReference, isStaff }) => [
      `Karba : paiement tardif de ${writeAmount(amountXof, 'fr')}`,
      `Le paiement ${publicReference}${isStaff ? ` de ${quoted(merchant, 'un marchand')}` : ''} avait échoué, puis l’opérateur a signalé qu’il avait été payé : ${writeAmount(amountXof, 'fr')}. ${isStaff ? 'Acceptez-le ou remboursez-le :' : 'Notre équipe va l’accepter ou le rembourser. Attendez sa décision avant de livrer :'}`,
      isStaff ? 'Examiner le paiement' : 'Voir le paiement',
      'D’autres paiements peuvent être concernés : le tableau de bord les affiche tous.',
    ],
    file_waiting: ({ merchant }) => [
      'Karba : un dossier attend votre examen',
      `${quoted(merchant, 'Un marchand')} demande la validation de son compte de production. Examinez son dossier, puis validez-le ou refusez-le en indiquant le motif :`,
      'Examiner le dossier',
      'D’autres dossiers peuvent attendre : la liste des tâches les affiche tous.',
    ],
    refund_waiting: ({ merchant, amountXof }) => [
      `Karba : un remboursement de ${writeAmount(amountXof, 'fr')} attend une validation`,
      `${quoted(merchant, 'Un marchand')} demande un remboursement de ${writeAmount(amountXof, 'fr')}. Une deuxième personne doit le valider ou le refuser :`,
      'Examiner le remboursement',
      'D’autres demandes peuvent attendre : la liste des tâches les affiche toutes.',
    ],
    new_sign_in: ({ network, at }) => [
      'Karba : nouvelle connexion à votre compte',
      `Quelqu’un s’est connecté à votre compte le ${timeText(at, 'fr')}, depuis une adresse IP que vous n’aviez pas encore utilisée (${network}).

Si c’était vous, ignorez cet e-mail. Sinon, choisissez tout de suite un nouveau mot de passe ; toutes les sessions seront fermées :`,
      'Choisir un nouveau mot de passe',
    ],
    money_change: {
      waiting: ({ merchant, detail, asker, askedAt, endsAt, isStaff }) => [
        `Karba : changement à confirmer pour ${ofMerchantFr(merchant, isStaff)}`,
        `${asker} demande un changement qui décide où va l’argent réel de ${ofMerchantFr(merchant, isStaff)} : ${moneyChangeFr(detail)}. Demande du ${timeText(askedAt, 'fr')}.

Rien n’a encore changé. Un autre propriétaire doit confirmer avant le ${timeText(endsAt, 'fr')} ; sinon, la demande s’arrête. ${isStaff ? 'Pour voir ce marchand :' : 'Si vous ne l’attendiez pas, refusez-la :'}`,
        isStaff ? 'Voir le marchand' : 'Voir la demande',
      ],
      done: ({ merchant, detail, asker, decider, decidedAt, isStaff }) => [
        `Karba : la destination de l’argent de ${ofMerchantFr(merchant, isStaff)} a changé`,
        `Changement en vigueur depuis le ${timeText(decidedAt, 'fr')} pour l’argent réel de ${ofMerchantFr(merchant, isStaff)} : ${moneyChangeFr(detail)}. ${asker === decider ? `Fait par ${asker}.` : `Demandé par ${asker}, confirmé par ${decider}.`}

${isStaff ? 'Pour voir ce marchand :' : `Si vous ne l’attendiez pas, ${detail.kind === 'pi_alias' ? 'retirez l’alias' : 'suspendez la connexion'}, changez votre mot de passe et prévenez-nous :`}`,
        isStaff ? 'Voir le marchand' : 'Voir le réglage',
      ],
      rejected: ({ merchant, detail, asker, decider, isStaff }) => [
        `Karba : changement ${asker === decider ? 'annulé' : 'refusé'} pour ${ofMerchantFr(merchant, isStaff)}`,
        `${asker === decider ? `${asker} a annulé sa demande` : `${decider} a refusé la demande ${ofFr(asker)}`} : ${moneyChangeFr(detail)}. Rien n’a changé. ${isStaff ? 'Pour voir ce marchand :' : 'Pour voir le réglage en vigueur :'}`,
        isStaff ? 'Voir le marchand' : 'Voir le réglage',
      ],
      expired: ({ merchant, detail, asker, isStaff }) => [
        `Karba : changement abandonné pour ${ofMerchantFr(merchant, isStaff)}`,
        `Aucun autre propriétaire n’a confirmé à temps la demande ${ofFr(asker)} : ${moneyChangeFr(detail)}. Rien n’a changé. ${isStaff ? 'Pour voir ce marchand :' : 'Pour la refaire :'}`,
        isStaff ? 'Voir le marchand' : 'Voir le réglage',
      ],
    },
    owner_change: {
      invited: (facts) => [
        `Karba : nouveau propriétaire invité pour ${ofMerchantFr(facts.merchant, facts.isStaff)}`,
        ownerChangeFr(facts, `${facts.who} est invité comme propriétaire`),
        teamButtonFr(facts),
      ],
      made: (facts) => [
        `Karba : nouveau propriétaire pour ${ofMerchantFr(facts.merchant, facts.isStaff)}`,
        ownerChangeFr(facts, `${facts.who} devient propriétaire`),
        teamButtonFr(facts),
      ],
      demoted: (facts) => [
        `Karba : un propriétaire de moins pour ${ofMerchantFr(facts.merchant, facts.isStaff)}`,
        ownerChangeFr(facts, `${facts.who} n’est plus propriétaire`),
        teamButtonFr(facts),
      ],
      removed: (facts) => [
        `Karba : un propriétaire de moins pour ${ofMerchantFr(facts.merchant, facts.isStaff)}`,
        ownerChangeFr(facts, `${facts.who} ne fait plus partie de l’équipe`),
        teamButtonFr(facts),
      ],
    },
    password_reset: [
      'Karba : choisir un nouveau mot de passe',
      'Pour choisir un nouveau mot de passe, ouvrez cette adresse dans l’heure :',
      'Choisir un nouveau mot de passe',
      'Elle ne sert qu’une fois. Si vous n’avez rien demandé, ignorez cet e-mail : votre mot de passe reste le même.',
    ],
    password_changed: [
      'Karba : votre mot de passe a été changé',
      `Votre mot de passe vient d’être changé, et vos autres appareils ont été déconnectés.

Si ce n’était pas vous, choisissez tout de suite un nouveau mot de passe :`,
      'Choisir un nouveau mot de passe',
    ],
    invitation: ({ merchant, inviter, role }) => [
      merchant === ''
        ? 'Karba : invitation à rejoindre une équipe'
        : `Karba : invitation à rejoindre « ${merchant} »`,
      `${inviter || 'Karba'} vous invite à rejoindre l’équipe ${merchant === '' ? 'd’un marchand' : `de « ${merchant} »`} sur Karba, avec le rôle « ${MERCHANT_ROLE_WORDS.fr[role]} ». Pour accepter, ouvrez cette adresse dans les sept jours :`,
      'Voir l’invitation',
      'Si vous ne connaissez pas ce marchand, ignorez cet e-mail.',
    ],
    confirm_address: [
      'Karba : confirmez votre adresse',
      'Un compte Karba vient d’être créé avec cette adresse. Si c’est vous, confirmez-la dans les sept jours :',
      'Confirmer mon adresse',
      'Votre mot de passe vous sera demandé. Si ce n’est pas vous, ignorez cet e-mail.',
    ],
    has_account: [
      'Karba : vous avez déjà un compte',
      `Quelqu’un vient d’essayer de créer un compte Karba avec votre adresse, alors que vous en avez déjà un. Votre compte n’a pas changé.

Si c’était vous, connectez-vous, ou choisissez un nouveau mot de passe si vous l’avez oublié :`,
      'Se connecter',
      'Si ce n’était pas vous, ignorez cet e-mail.',
    ],
    take_over: [
      'Karba : choisir un nouveau mot de passe',
      'Un compte Karba a été créé avec cette adresse, qui n’est pas encore confirmée. Pour la confirmer et choisir un nouveau mot de passe, ouvrez cette adresse dans l’heure :',
      'Choisir un nouveau mot de passe',
      'Elle ne sert qu’une fois. Les sessions, les codes de connexion, les clés et les webhooks créés avant cesseront de fonctionner. Si vous n’avez rien demandé, ignorez cet e-mail.',
    ],
  },
  en: {
    hello: 'Hello',
    sandbox: 'sandbox',
    footer: 'You can switch these emails off in the dashboard: open Security, then Emails.',
    account_status: {
      validated: ({ merchant, environment, hasSecretKey }) => [
        `Karba: ${quoted(merchant, 'your account', 'en')} is validated`,
        environment === 'live'
          ? `Good news: ${quoted(merchant, 'your account', 'en')} is validated. You can collect real payments.${hasSecretKey ? '' : FIRST_STEPS.en}

To open the dashboard in live mode:`
          : `The sandbox of ${quoted(merchant, 'your account', 'en')} is open again. To use it:`,
        environment === 'live' ? 'Open the dashboard' : 'Open the sandbox',
      ],
      unvalidated: ({ merchant, environment, reason }) => [
        `Karba: ${quoted(merchant, 'your account', 'en')} is not validated`,
        `The ${environment === 'live' ? 'live account' : 'sandbox'} of ${quoted(merchant, 'your business', 'en')} is not validated: it cannot collect ${environment === 'live' ? 'real' : 'test'} payments.${motive('Reason: ', reason)}

Correct your file, then request validation:`,
        'Correct my file',
      ],
      suspended: ({ merchant, environment, reason }) => [
        `Karba: ${quoted(merchant, 'your account', 'en')} is suspended`,
        `The ${environment === 'live' ? 'live account' : 'sandbox'} of ${quoted(merchant, 'your business', 'en')} is suspended: it accepts no payments.${motive('Reason: ', reason)}

To see your account:`,
        'See my account',
      ],
    },
    endpoint_failing: ({ url, since, lastStatusCode }) => [
      'Karba: your webhooks are not delivered',
      `Since ${timeText(since, 'en')}, your site has not been notified of your payments: our messages (webhooks) do not reach ${url} (${lastStatusCode === null ? 'no answer' : `answer ${lastStatusCode}`}). We retry for three days, and every event stays in your dashboard.

To see the deliveries and their answers:`,
      'See the deliveries',
    ],
    late_money: ({ merchant, amountXof, publicReference, isStaff }) => [
      `Karba: late payment of ${writeAmount(amountXof, 'en')}`,
      `The payment ${publicReference}${isStaff ? ` of ${quoted(merchant, 'a merchant', 'en')}` : ''} had failed, then the operator reported that it was paid: ${writeAmount(amountXof, 'en')}. ${isStaff ? 'Accept or refund it:' : 'Our team will accept or refund it. Wait for its decision before you deliver:'}`,
      isStaff ? 'Review the payment' : 'See the payment',
      'Other payments may be affected: the dashboard shows all of them.',
    ],
    file_waiting: ({ merchant }) => [
      'Karba: a file is waiting for review',
      `${quoted(merchant, 'A merchant', 'en')} requests validation of their live account. Review the file, then validate it, or refuse it with a reason:`,
      'Review the file',
      'Other files may be waiting: the list of tasks shows all of them.',
    ],
    refund_waiting: ({ merchant, amountXof }) => [
      `Karba: a refund of ${writeAmount(amountXof, 'en')} is waiting for approval`,
      `${quoted(merchant, 'A merchant', 'en')} requests a refund of ${writeAmount(amountXof, 'en')}. A second person must approve or reject it:`,
      'Review the refund',
      'Other requests may be waiting: the list of tasks shows all of them.',
    ],
    new_sign_in: ({ network, at }) => [
      'Karba: a new sign-in to your account',
      `Someone signed in to your account on ${timeText(at, 'en')}, from an IP address that you had not used before (${network}).

If that was you, ignore this email. If not, choose a new password at once; this closes all sessions:`,
      'Choose a new password',
    ],
    money_change: {
      waiting: ({ merchant, detail, asker, askedAt, endsAt, isStaff }) => [
        `Karba: a change to confirm for ${ofMerchantEn(merchant, isStaff)}`,
        `${asker} requests a change that decides where the real money of ${ofMerchantEn(merchant, isStaff)} goes: ${moneyChangeEn(detail)}. Requested on ${timeText(askedAt, 'en')}.

Nothing has changed yet. Another owner must confirm before ${timeText(endsAt, 'en')}; otherwise the request ends. ${isStaff ? 'To see this merchant:' : 'If you did not expect it, reject it:'}`,
        isStaff ? 'See the merchant' : 'See the request',
      ],
      done: ({ merchant, detail, asker, decider, decidedAt, isStaff }) => [
        `Karba: where the money of ${ofMerchantEn(merchant, isStaff)} goes has changed`,
        `In effect since ${timeText(decidedAt, 'en')} for the real money of ${ofMerchantEn(merchant, isStaff)}: ${moneyChangeEn(detail)}. ${asker === decider ? `Made by ${asker}.` : `Requested by ${asker}, confirmed by ${decider}.`}

${isStaff ? 'To see this merchant:' : `If you did not expect it, ${detail.kind === 'pi_alias' ? 'remove the alias' : 'suspend the connection'}, change your password and tell us:`}`,
        isStaff ? 'See the merchant' : 'See the setting',
      ],
      rejected: ({ merchant, detail, asker, decider, isStaff }) => [
        `Karba: a change was ${asker === decider ? 'withdrawn' : 'rejected'} for ${ofMerchantEn(merchant, isStaff)}`,
        `${asker === decider ? `${asker} withdrew their request` : `${decider} rejected the request of ${asker}`}: ${moneyChangeEn(detail)}. Nothing has changed. ${isStaff ? 'To see this merchant:' : 'To see the present setting:'}`,
        isStaff ? 'See the merchant' : 'See the setting',
      ],
      expired: ({ merchant, detail, asker, isStaff }) => [
        `Karba: a change has ended for ${ofMerchantEn(merchant, isStaff)}`,
        `No other owner confirmed the request of ${asker} in time: ${moneyChangeEn(detail)}. Nothing has changed. ${isStaff ? 'To see this merchant:' : 'To request it again:'}`,
        isStaff ? 'See the merchant' : 'See the setting',
      ],
    },
    owner_change: {
      invited: (facts) => [
        `Karba: a new owner is invited for ${ofMerchantEn(facts.merchant, facts.isStaff)}`,
        ownerChangeEn(facts, `${facts.who} is invited as an owner`),
        teamButtonEn(facts),
      ],
      made: (facts) => [
        `Karba: a new owner for ${ofMerchantEn(facts.merchant, facts.isStaff)}`,
        ownerChangeEn(facts, `${facts.who} is an owner now`),
        teamButtonEn(facts),
      ],
      demoted: (facts) => [
        `Karba: one owner fewer for ${ofMerchantEn(facts.merchant, facts.isStaff)}`,
        ownerChangeEn(facts, `${facts.who} is no owner any more`),
        teamButtonEn(facts),
      ],
      removed: (facts) => [
        `Karba: one owner fewer for ${ofMerchantEn(facts.merchant, facts.isStaff)}`,
        ownerChangeEn(facts, `${facts.who} was removed from the team`),
        teamButtonEn(facts),
      ],
    },
    password_reset: [
      'Karba: choose a new password',
      'To choose a new password, open this address within the hour:',
      'Choose a new password',
      'It works only once. If you did not request it, ignore this email: your password stays the same.',
    ],
    password_changed: [
      'Karba: your password was changed',
      `Your password was changed just now, and your other devices were signed out.

If that was not you, choose a new password at once:`,
      'Choose a new password',
    ],
    invitation: ({ merchant, inviter, role }) => [
      merchant === ''
        ? 'Karba: an invitation to join a team'
        : `Karba: an invitation to join “${merchant}”`,
      `${inviter || 'Karba'} invites you to join the team of ${quoted(merchant, 'a merchant', 'en')} on Karba, with the role “${MERCHANT_ROLE_WORDS.en[role]}”. To accept, open this address within seven days:`,
      'See the invitation',
      'If you do not know this merchant, ignore this email.',
    ],
    confirm_address: [
      'Karba: confirm your address',
      'A Karba account was just created with this address. If that was you, confirm it within seven days:',
      'Confirm my address',
      'You will need your password. If that was not you, ignore this email.',
    ],
    has_account: [
      'Karba: you already have an account',
      `Somebody just tried to create a Karba account with your address, but you already have one. Your account has not changed.

If that was you, sign in, or choose a new password if you have forgotten yours:`,
      'Sign in',
      'If that was not you, ignore this email.',
    ],
    take_over: [
      'Karba: choose a new password',
      'A Karba account was created with this address, which is not confirmed yet. To confirm it and choose a new password, open this address within the hour:',
      'Choose a new password',
      'It works only once. Sessions, sign-in codes, keys and webhooks created before will stop working. If you did not request this, ignore this email.',
    ],
  },
}
