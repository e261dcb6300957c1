// Emails that Karba sends by itself, and whose they are. A person may switch each kind off.
import {
  MERCHANT_ROLES,
  type MerchantRight,
  type MerchantRole,
  mayInAccount,
  SERVICE_RIGHTS,
  type ServiceRole,
} from './role.ts'

/** Who gets each kind: the people of the merchant with a right, the staff with a right, or both. */
export const NOTICES = {
  account_status: { merchant: 'changeSettings' },
  endpoint_failing: { merchant: 'manageWebhooks' },
  late_money: { merchant: 'refund', staff: 'settleTasks' },
  file_waiting: { staff: 'reviewFiles' },
  refund_waiting: { staff: 'approveRefund' },
  /** A change of where live money goes. Nobody can switch it off: a thief would. */
  money_change: { merchant: 'manageConnections', staff: 'pauseConnections', isAlwaysOn: true },
  /** Owners decide where live money goes. Nobody can switch it off, for the same reason. */
  owner_change: { merchant: 'manageConnections', staff: 'pauseConnections', isAlwaysOn: true },
  new_sign_in: { merchant: 'read', staff: 'read' },
} as const satisfies Record<string, Audience>

interface Audience {
  merchant?: MerchantRight
  staff?: keyof typeof SERVICE_RIGHTS
  isAlwaysOn?: true
}

export type NoticeKind = keyof typeof NOTICES

export const NOTICE_KINDS = Object.keys(NOTICES) as readonly NoticeKind[]

export const isNoticeKind = (kind: string): kind is NoticeKind => Object.hasOwn(NOTICES, kind)

export function merchantRolesFor(kind: NoticeKind): readonly MerchantRole[] {
  const { merchant }: Audience = NOTICES[kind]
  return merchant === undefined ? [] : MERCHANT_ROLES.filter((role) => mayInAccount(role, merchant))
}

export function staffRolesFor(kind: NoticeKind): readonly ServiceRole[] {
  const { staff }: Audience = NOTICES[kind]
  return staff === undefined ? [] : SERVICE_RIGHTS[staff]
}

/** That a person may switch off. */
export type ChosenNotice = {
  [Kind in NoticeKind]: (typeof NOTICES)[Kind] extends { isAlwaysOn: true } ? never : Kind
}[NoticeKind]

const isChosen = (kind: NoticeKind): kind is ChosenNotice => {
  const audience: Audience = NOTICES[kind]
  return audience.isAlwaysOn !== true
}

export const CHOSEN_NOTICES = NOTICE_KINDS.filter(isChosen)

/** The kinds that a person with these roles may get, and switch off. */
export const noticesOf = (
  roles: readonly MerchantRole[],
  serviceRole: ServiceRole | null,
): ChosenNotice[] =>
  CHOSEN_NOTICES.filter(
    (kind) =>
      merchantRolesFor(kind).some((role) => roles.includes(role)) ||
      (serviceRole !== null && staffRolesFor(kind).includes(serviceRole)),
  )

/** At most one email of a kind about the same cause in this time: an endpoint may come and go. */
export const ONE_NOTICE_EVERY_MS = 3_600_000

/**
 * Half of an IPv4 address, 32 bits of an IPv6 one: a phone’s address changes within its network
 * many times a day.
 */
export const placeOf = (network: string): string =>
  network.includes(':')
    ? network.split(':').slice(0, 2).join(':')
    : network.split('.').slice(0, 2).join('.')
