// The one next step for each kind of difference between a network's statement and the ledger, for a person.
import type { ExceptionKind } from '../domain/matching.ts'

export const NEXT_STEPS: Readonly<Record<ExceptionKind, { en: string; fr: string }>> = {
  missing_at_network: {
    en: 'Ask the network for this payment, with its reference. A later statement that has it closes this difference.',
    fr: 'Demandez ce paiement au réseau, avec sa référence. Un relevé ultérieur qui le contient clôt cet écart.',
  },
  missing_here: {
    en: 'Ask the network about this line; the service’s staff can attach a payment to it.',
    fr: 'Demandez au réseau ce qu’est cette ligne ; l’équipe du service peut la rattacher à un paiement.',
  },
  amount_differs: {
    en: 'Compare both amounts with the network: one of them must be corrected.',
    fr: 'Comparez les deux montants avec le réseau : l’un des deux doit être corrigé.',
  },
  fee_differs: {
    en: 'Compare the tariff of the connection with your contract, then correct it or claim the difference.',
    fr: 'Comparez le tarif de la connexion avec votre contrat, puis corrigez-le ou réclamez la différence.',
  },
  duplicate_line: {
    en: 'Ask the network whether it paid twice or listed one payment twice.',
    fr: 'Demandez au réseau s’il a payé deux fois ou écrit deux fois le même paiement.',
  },
  paid_although_failed: {
    en: 'Accept the late payment or refund it, in the list of anomalies.',
    fr: 'Acceptez le paiement tardif ou remboursez-le, dans la liste des anomalies.',
  },
  not_paid_although_succeeded: {
    en: 'Ask the network which of its two answers is right, then close the anomaly.',
    fr: 'Demandez au réseau laquelle de ses deux réponses est juste, puis clôturez l’anomalie.',
  },
  refund_without_payment: {
    en: 'Ask the network why it gave this money back; the service’s staff can attach a refund to it.',
    fr: 'Demandez au réseau pourquoi il a rendu cet argent ; l’équipe du service peut le rattacher à un remboursement.',
  },
  refund_missing: {
    en: 'Ask the network for this refund: the customer may not have received it.',
    fr: 'Demandez ce remboursement au réseau : le client ne l’a peut-être pas reçu.',
  },
  balance_does_not_add_up: {
    en: 'Import the statement of the days between both files. If there is none, ask the network.',
    fr: 'Importez le relevé des jours entre les deux fichiers. S’il n’y en a pas, demandez au réseau.',
  },
  settled_amount_differs: {
    en: 'Compare the settlement with the bank’s line, and ask the network for the difference.',
    fr: 'Comparez le virement avec la ligne de la banque, et demandez la différence au réseau.',
  },
  withheld: {
    en: 'Answer the network’s complaint. The line of its release closes this difference.',
    fr: 'Répondez à la réclamation du réseau. La ligne de déblocage clôt cet écart.',
  },
  too_early: {
    en: 'Wait: Karba checks the line again when the payment has its result.',
    fr: 'Attendez : Karba vérifie la ligne à nouveau quand le paiement a son résultat.',
  },
}
