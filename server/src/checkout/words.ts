// The texts of the payer's pages, one table for each language; a key that one language lacks does
// not compile. The texts are simple and claim no more than we know: an attempt shown as failed may
// still be investigated.
import { dayOf, localDate } from '../domain/countries/business-day.ts'
import type { CountryFacts } from '../domain/countries/country-facts.ts'
import type { Cooldown } from '../domain/limits/try-limit.ts'
import { writeAmount } from '../domain/payments/money.ts'
import type { FailureReason } from '../domain/payments/payment-status.ts'
import type { Language } from '../domain/texts/language.ts'
import { type Html, html } from '../http/html.ts'

const french = {
  locale: 'fr_FR',
  otherLanguage: 'English',
  test: 'Test : aucun argent réel ne circule',
  close: 'Fermer',
  reference: 'Référence',
  footer: 'Ne donnez votre code secret à personne, pas même à nous.',
  summary: (amount: string, merchant: string) => `${amount} à payer à ${merchant}`,

  paymentTo: 'Paiement à',
  validUntil: (time: string) => `Valable jusqu’à ${time}`,
  validUntilDay: (dayAndTime: string) => `Valable jusqu’au ${dayAndTime}`,
  yourNumber: 'Votre numéro mobile money',
  country: 'Pays',
  countryCode: ({ names, callingCode }: CountryFacts) => `${names.fr} +${callingCode}`,
  numberHint: ({ names, numbers }: CountryFacts) =>
    `${names.fr}, ${numbers.digits} chiffres\u00a0:`,
  pay: (amount: Html) => html`Payer ${amount}`,
  anyAmount: 'Montant libre',
  give: 'Payer',
  chooseAmount: 'Choisissez un montant',
  otherAmount: 'ou un autre montant, en F CFA',
  yourAmount: 'Montant, en F CFA',
  amountHint: (least: string) => `Au moins ${least}, sans centimes.`,
  amountProblem: (least: string) => `Saisissez un montant en chiffres, d’au moins ${least}.`,
  payHint: 'Vous validerez sur votre téléphone. Rien n’est débité sans votre code secret.',
  oneMoment: 'Un instant…',
  otherwise: 'ou payez autrement',
  hostedHint: 'Vous continuerez sur la page sécurisée de notre partenaire de paiement.',
  pausedNow: (operators: string) => `En pause en ce moment : ${operators}.`,
  noMethod: 'Aucun moyen de paiement n’est disponible en ce moment. Réessayez un peu plus tard.',

  onlinePayment: 'Paiement en ligne',
  pageSays: 'Indiqué par le site :',

  leave: 'Annuler et revenir à la boutique',
  leaveHint: 'Rien n’est débité, et le lien reste ouvert : vous pourrez y revenir.',

  cooldowns: {
    number_pending: (time: Html) =>
      html`Une demande attend déjà sur ce téléphone. Répondez-y d’abord, ou réessayez à partir de ${time}.`,
    number: (time: Html) =>
      html`Plusieurs demandes envoyées à ce numéro n’ont pas été validées. Réessayez à partir de ${time}, ou payez autrement.`,
    link: (time: Html) => html`Trop de tentatives sur ce lien. Réessayez à partir de ${time}.`,
    account: (time: Html) =>
      html`Beaucoup de demandes attendent encore une réponse. Réessayez à partir de ${time}, ou payez autrement.`,
  } as Record<Cooldown['why'], (time: Html) => Html>,

  notDone: 'Le paiement n’a pas abouti',
  failures: {
    declined:
      'La demande a été refusée, ou le code saisi n’était pas le bon. Vous pouvez réessayer.',
    insufficient_funds: 'Le solde de ce compte est insuffisant. Rechargez-le, ou payez autrement.',
    expired:
      'La demande est restée sans réponse trop longtemps. Réessayez en gardant votre téléphone près de vous.',
    cancelled: 'La demande a été annulée. Vous pouvez réessayer.',
    payer_not_found:
      'Ce numéro n’a pas de compte mobile money. Vérifiez-le, ou essayez avec un autre.',
    payer_not_allowed:
      'Ce compte ne peut pas payer en ce moment. Essayez avec un autre, ou appelez votre opérateur.',
    limit_reached:
      'Une limite fixée par l’opérateur est atteinte. Réessayez plus tard, ou payez autrement.',
    amount_not_allowed: 'L’opérateur n’accepte pas ce montant. Essayez un autre moyen de paiement.',
    operator_error: 'L’opérateur a eu un problème de son côté. Réessayez dans un moment.',
    never_received:
      'L’opérateur n’a pas reçu la demande et rien n’a été débité. Vous pouvez réessayer.',
  } as Record<FailureReason, string>,

  approve: (operator: Html | string | undefined) =>
    html`Validez le paiement sur votre téléphone${operator && html` avec ${operator}`}`,
  stepLook: (number: Html) => html`Regardez le téléphone du ${number}.`,
  stepLookYours: html`Regardez votre téléphone.`,
  stepCode: (amount: Html) => html`Tapez votre code secret pour valider ${amount}.`,
  stepBack: html`Cette page se met à jour automatiquement.`,
  waiting: 'En attente de votre validation…',
  offline: 'Pas de connexion. Nous réessayons…',
  nothingCame: 'Vous n’avez rien reçu ?',
  nothingCameHint:
    'Vérifiez que le téléphone est allumé et capte le réseau. Sans votre validation, la demande expire et vous pourrez réessayer ici.',
  finish: 'Terminez sur la page de paiement',
  finishHint:
    'Cette page est celle de notre partenaire de paiement. Revenez ensuite ici : le résultat s’affichera automatiquement.',
  toProvider: 'Ouvrir la page de paiement',
  waitingHosted: 'En attente de votre paiement…',
  changedMind: 'Choisir un autre moyen de paiement',
  begunElsewhere:
    'Ce paiement a été commencé dans un autre navigateur. S’il n’aboutit pas, vous pourrez réessayer ici.',

  succeeded: 'Paiement réussi',
  thanks: (merchant: Html) => html`Merci ! ${merchant} a été prévenu de votre paiement.`,
  tabOver: 'Vous pouvez fermer cet onglet et revenir à la boutique.',
  receipt: {
    to: 'Payé à',
    wasTo: 'À payer à',
    for: 'Pour',
    amount: 'Montant',
    method: 'Moyen',
    operator: 'Opérateur',
    at: 'Date',
    operatorReference: 'Référence de l’opérateur',
    providerReference: 'Référence du partenaire',
  },
  print: 'Imprimer le reçu',
  backTo: (merchant: Html) => html`Retourner chez ${merchant}`,
  backSoon: 'Vous serez redirigé dans quelques secondes.',
  stay: 'Rester ici',
  paid: 'Déjà payé',
  paidHint: 'Ce lien a été payé. Il n’y a plus rien à payer.',
  receiptElsewhere: 'Le reçu est visible dans le navigateur qui a servi à payer.',

  refunded: 'Paiement remboursé',
  refundedHint: 'Le montant a été remboursé sur le compte qui avait payé.',

  closed: {
    expired: 'Ce lien a expiré',
    cancelled: 'Paiement annulé',
    failed: 'Paiement non abouti',
  },
  closedHint: {
    expired: (merchant: Html) =>
      html`Le délai de paiement est dépassé. Demandez un nouveau lien à ${merchant}.`,
    cancelled: (merchant: Html) =>
      html`Ce lien est fermé. Pour payer quand même, demandez un nouveau lien à ${merchant}.`,
    failed: (merchant: Html) =>
      html`Ce lien est fermé. Demandez un nouveau lien à ${merchant} pour réessayer.`,
  },
  alreadyPaid: (merchant: Html) =>
    html`Vous pensez avoir payé ? Donnez cette référence à ${merchant}.`,

  share: 'Partager ce lien',
  paymentLink: 'Lien de paiement',
  shareStates: {
    reusable: 'Ouvert',
    open: 'En attente de paiement',
    waiting: 'Paiement en cours',
    succeeded: 'Payé',
    paid: 'Payé',
    refunded: 'Remboursé',
    expired: 'Expiré',
    cancelled: 'Annulé',
    failed: 'Non abouti',
  },
  scan: 'Scannez pour payer',
  qr: 'Code QR qui mène à la page de paiement',
  address: 'Adresse du lien',
  copy: 'Copier',
  copied: 'Copié',
  sendBy: 'Envoyer par',
  shareText: (amount: string, merchant: string, title: string, url: string) =>
    `Bonjour, voici le lien pour payer ${amount} à ${merchant} (${title}) : ${url}`,
  smsText: (amount: string, whom: string) => `Payez ${amount} à ${whom} : `,

  messages: {
    not_found: [
      'Ce lien n’existe pas',
      'Vérifiez l’adresse, ou redemandez le lien à la personne qui vous l’a envoyé.',
    ],
    no_page: ['Cette page n’existe pas', 'Vérifiez l’adresse, ou revenez à l’accueil.'],
    too_many: [
      'Trop de requêtes',
      'Votre connexion a envoyé trop de requêtes. Attendez une minute, puis réessayez.',
    ],
    unavailable: [
      'Service momentanément indisponible',
      'Le service ne répond pas en ce moment. Réessayez dans un instant.',
    ],
  },
  retry: 'Réessayer',
  toHome: 'Aller à l’accueil',
}

export type Words = typeof french

const english: Words = {
  locale: 'en_GB',
  otherLanguage: 'Français',
  test: 'Test: no real money moves',
  close: 'Close',
  reference: 'Reference',
  footer: 'Never give your PIN to anyone, not even to us.',
  summary: (amount, merchant) => `${amount} to pay to ${merchant}`,

  paymentTo: 'Payment to',
  validUntil: (time) => `Valid until ${time}`,
  validUntilDay: (dayAndTime) => `Valid until ${dayAndTime}`,
  yourNumber: 'Your mobile money number',
  country: 'Country',
  countryCode: ({ names, callingCode }) => `${names.en} +${callingCode}`,
  numberHint: ({ names, numbers }) => `${names.en}, ${numbers.digits} digits:`,
  pay: (amount) => html`Pay ${amount}`,
  anyAmount: 'Any amount',
  give: 'Pay',
  chooseAmount: 'Choose an amount',
  otherAmount: 'or another amount, in CFA francs',
  yourAmount: 'Amount, in CFA francs',
  amountHint: (least: string) => `At least ${least}, in whole francs.`,
  amountProblem: (least: string) => `Enter an amount in digits, of at least ${least}.`,
  payHint: 'You will approve on your phone. Nothing is taken without your PIN.',
  oneMoment: 'One moment…',
  otherwise: 'or pay another way',
  hostedHint: 'You will continue on the secure page of our payment partner.',
  pausedNow: (operators) => `Paused right now: ${operators}.`,
  noMethod: 'No payment method is available right now. Please try again a little later.',

  onlinePayment: 'Online payment',
  pageSays: 'Stated by the site:',

  leave: 'Cancel and go back to the shop',
  leaveHint: 'Nothing is taken, and the link stays open: you can come back to it.',

  cooldowns: {
    number_pending: (time) =>
      html`A request is already waiting on this phone. Answer it first, or try again from ${time}.`,
    number: (time) =>
      html`Several requests sent to this number were not approved. Try again from ${time}, or pay another way.`,
    link: (time) => html`Too many attempts on this link. Try again from ${time}.`,
    account: (time) =>
      html`Many requests are still waiting for an answer. Try again from ${time}, or pay another way.`,
  },

  notDone: 'The payment did not go through',
  failures: {
    declined: 'The request was declined, or the PIN was wrong. You can try again.',
    insufficient_funds: 'The balance of this account is too low. Top it up, or pay another way.',
    expired: 'The request went unanswered for too long. Try again and keep your phone near you.',
    cancelled: 'The request was cancelled. You can try again.',
    payer_not_found: 'This number has no mobile money account. Check it, or try another one.',
    payer_not_allowed: 'This account cannot pay right now. Try another one, or call your operator.',
    limit_reached:
      'A limit set by the operator has been reached. Try again later, or pay another way.',
    amount_not_allowed: 'The operator does not accept this amount. Try another way to pay.',
    operator_error: 'The operator had a problem on its side. Try again in a moment.',
    never_received:
      'The operator did not receive the request and nothing was taken. You can try again.',
  },

  approve: (operator) =>
    html`Approve the payment on your phone${operator && html` with ${operator}`}`,
  stepLook: (number) => html`Look at the phone with ${number}.`,
  stepLookYours: html`Look at your phone.`,
  stepCode: (amount) => html`Enter your PIN to approve ${amount}.`,
  stepBack: html`This page updates automatically.`,
  waiting: 'Waiting for your approval…',
  offline: 'No connection. Trying again…',
  nothingCame: 'No request received?',
  nothingCameHint:
    'Check that the phone is on and has a signal. Without your approval the request expires and you can try again here.',
  finish: 'Finish on the payment page',
  finishHint:
    'That page belongs to our payment partner. Come back here afterwards: the result appears automatically.',
  toProvider: 'Open the payment page',
  waitingHosted: 'Waiting for your payment…',
  changedMind: 'Choose another payment method',
  begunElsewhere:
    'This payment was started in another browser. If it does not go through, you can try again here.',

  succeeded: 'Payment successful',
  thanks: (merchant) => html`Thank you! ${merchant} has been notified of your payment.`,
  tabOver: 'You can close this tab and go back to the shop.',
  receipt: {
    to: 'Paid to',
    wasTo: 'To be paid to',
    for: 'For',
    amount: 'Amount',
    method: 'Method',
    operator: 'Operator',
    at: 'Date',
    operatorReference: 'Operator’s reference',
    providerReference: 'Partner’s reference',
  },
  print: 'Print the receipt',
  backTo: (merchant) => html`Back to ${merchant}`,
  backSoon: 'You will be redirected in a few seconds.',
  stay: 'Stay here',
  paid: 'Already paid',
  paidHint: 'This link has been paid. There is nothing more to pay.',
  receiptElsewhere: 'The receipt is available in the browser that was used to pay.',

  refunded: 'Payment refunded',
  refundedHint: 'The amount was refunded to the account that paid.',

  closed: {
    expired: 'This link has expired',
    cancelled: 'Payment cancelled',
    failed: 'Payment not completed',
  },
  closedHint: {
    expired: (merchant) => html`The time to pay has passed. Ask ${merchant} for a new link.`,
    cancelled: (merchant) =>
      html`This link is closed. If you still want to pay, ask ${merchant} for a new one.`,
    failed: (merchant) => html`This link is closed. Ask ${merchant} for a new one to try again.`,
  },
  alreadyPaid: (merchant) => html`Think you have paid? Give this reference to ${merchant}.`,

  share: 'Share this link',
  paymentLink: 'Payment link',
  shareStates: {
    reusable: 'Open',
    open: 'Waiting for payment',
    waiting: 'Payment in progress',
    succeeded: 'Paid',
    paid: 'Paid',
    refunded: 'Refunded',
    expired: 'Expired',
    cancelled: 'Cancelled',
    failed: 'Not completed',
  },
  scan: 'Scan to pay',
  qr: 'QR code that leads to the payment page',
  address: 'Address of the link',
  copy: 'Copy',
  copied: 'Copied',
  sendBy: 'Send by',
  shareText: (amount, merchant, title, url) =>
    `Hello, here is the link to pay ${amount} to ${merchant} (${title}): ${url}`,
  smsText: (amount, whom) => `Please pay ${amount} to ${whom}: `,

  messages: {
    not_found: [
      'This link does not exist',
      'Check the address, or ask the sender for the link again.',
    ],
    no_page: ['This page does not exist', 'Check the address, or go back to the home page.'],
    too_many: [
      'Too many requests',
      'Your connection sent too many requests. Wait a minute, then try again.',
    ],
    unavailable: [
      'Service temporarily unavailable',
      'The service is not responding right now. Try again in a moment.',
    ],
  },
  retry: 'Try again',
  toHome: 'Go to the home page',
}

export const WORDS: Readonly<Record<Language, Words>> = { fr: french, en: english }

// The texts of receipts and of the page that checks a code, one table for each language.

const receiptFrench = {
  title: 'Reçu de paiement',
  paid: 'Paiement reçu',
  refunded: 'Paiement remboursé',
  inPart: 'Paiement remboursé en partie',
  paidHint: 'Ce paiement est enregistré. Le montant a été débité.',
  refundedHint: 'Le montant a été rendu au compte qui avait payé.',
  inPartHint: (given: string, all: string) => `${given} rendus sur ${all}.`,
  test: 'TEST',
  testHint: 'TEST : aucun argent n’a été payé. Ce reçu ne prouve rien.',
  to: 'Payé à',
  amount: 'Montant',
  at: 'Date',
  state: 'État',
  given: 'Remboursé',
  code: 'Code du reçu',
  qr: 'Code QR qui mène à ce reçu',
  checkAt: (address: string) => `À vérifier sur ${address}`,
  genuine: (host: string) => `Vérifiez que l’adresse de cette page est bien ${host}.`,
  pdf: 'Télécharger en PDF',
  another: 'Vérifier un autre code',
  link: 'Reçu vérifiable',
  check: 'Vérifier un reçu',
  checkHint:
    'Tapez le code qui est écrit sur le reçu. Vous verrez le marchand, le montant, la date et l’état.',
  send: 'Vérifier',
  unknown:
    'Aucun paiement n’a ce code. Relisez-le sur le reçu. S’il est bien recopié, le reçu est faux.',
}

type ReceiptWords = typeof receiptFrench

const receiptEnglish: ReceiptWords = {
  title: 'Payment receipt',
  paid: 'Payment received',
  refunded: 'Payment refunded',
  inPart: 'Payment refunded in part',
  paidHint: 'This payment is recorded. The amount was debited.',
  refundedHint: 'The amount was given back to the account that paid.',
  inPartHint: (given, all) => `${given} of ${all} given back.`,
  test: 'TEST',
  testHint: 'TEST: no money was paid. This receipt proves nothing.',
  to: 'Paid to',
  amount: 'Amount',
  at: 'Date',
  state: 'State',
  given: 'Refunded',
  code: 'Code of the receipt',
  qr: 'QR code that leads to this receipt',
  checkAt: (address) => `Check it at ${address}`,
  genuine: (host) => `Make sure that the address of this page is ${host}.`,
  pdf: 'Download as PDF',
  another: 'Check another code',
  link: 'Receipt that can be checked',
  check: 'Check a receipt',
  checkHint:
    'Type the code that is on the receipt. You will see the merchant, the amount, the date and the state.',
  send: 'Check',
  unknown:
    'No payment has this code. Read it again on the receipt. If you copied it correctly, the receipt is false.',
}

export const RECEIPT_WORDS: Readonly<Record<Language, ReceiptWords>> = {
  fr: receiptFrench,
  en: receiptEnglish,
}

// Amounts and times as people in West Africa write them.

const MONTHS: Readonly<Record<Language, readonly string[]>> = {
  fr: 'janvier février mars avril mai juin juillet août septembre octobre novembre décembre'.split(
    ' ',
  ),
  en: 'January February March April May June July August September October November December'.split(
    ' ',
  ),
}

/**
 * The amount in large type. A long one is smaller, because no digit may be cut off on a narrow
 * phone.
 */
export function largeAmount(amountXof: number, language: Language): Html {
  const isLong = amountXof > 999_999
  return html`<p class="sum${isLong && ' long'}">${writeAmount(amountXof, language)}</p>`
}

export function writeTime(at: number, language: Language): string {
  const time = localDate(at)
  const minutes = String(time.getUTCMinutes()).padStart(2, '0')
  return language === 'fr' ? `${time.getUTCHours()}h${minutes}` : `${time.getUTCHours()}:${minutes}`
}

export function writeDay(at: number, language: Language): string {
  const time = localDate(at)
  const day = time.getUTCDate()
  const ordinal = language === 'fr' && day === 1 ? '1er' : String(day)
  return `${ordinal}\u00a0${MONTHS[language][time.getUTCMonth()]} ${time.getUTCFullYear()}`
}

export const writeDayAndTime = (at: number, language: Language): string =>
  `${writeDay(at, language)}${language === 'fr' ? ' à' : ','} ${writeTime(at, language)}`

export const dayAndTime = (at: number, language: Language): Html =>
  html`<time datetime="${isoTime(at)}">${writeDayAndTime(at, language)}</time>`

export const isSameDay = (a: number, b: number): boolean => dayOf(a) === dayOf(b)

export const isoTime = (at: number): string => new Date(at).toISOString()
