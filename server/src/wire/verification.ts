// What `karba verify` found, as it prints it in JSON.

interface Sum {
  count: number
  amountXof: number
}

interface Verification {
  payments: number
  accounts: { accountId: string; byStatus: Record<string, Sum>; refunds: Sum }[]
  found: number
}

interface Told {
  kind: string
  subject: string
  accountId: string | null
  message: string
}

const sumFields = ({ count, amountXof }: Sum): object => ({ count, amount: amountXof })

export const verificationFields = ({ payments, accounts, found }: Verification, findings: readonly Told[]): object => ({
  clean: found === 0,
  payments,
  accounts: accounts.map(({ accountId, byStatus, refunds }) => ({
    account: accountId,
    ...Object.fromEntries(Object.entries(byStatus).map(([status, sum]) => [status, sumFields(sum)])),
    refunds_by_merchant: sumFields(refunds),
  })),
  found,
  findings: findings.map(({ kind, subject, accountId, message }) => ({
    kind,
    subject,
    account: accountId ?? undefined,
    message,
  })),
})
