// Every page and its address. A page is loaded when it is first opened, the frames and shared parts
// at the start.
import type { QueryClient } from '@tanstack/react-query'
import {
  type AnyRoute,
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { firstAccount, sessionQuery } from './api/session.ts'
import type { MoneyFilters } from './pages/money/where.tsx'
import type { PaymentFilters } from './pages/payments.tsx'
import type { RefundFilters } from './pages/refunds.tsx'
import { BrokenPage, MissingPage } from './parts/page.tsx'
import { AccountShell } from './shell/account-shell.tsx'
import { ConsoleShell, Root } from './shell/frame.tsx'

const root = createRootRouteWithContext<{ client: QueryClient }>()({
  component: Root,
  notFoundComponent: MissingPage,
})

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: async ({ context }) => {
    const session = await context.client.ensureQueryData(sessionQuery)
    if (session === null) throw redirect({ to: '/sign-in', replace: true })
    const account = firstAccount(session)
    if (account !== undefined)
      throw redirect({
        to: '/a/$accountId',
        params: { accountId: account.accountId },
        replace: true,
      })
    throw redirect({ to: '/console', replace: true })
  },
})

const page = <Parent extends AnyRoute, Path extends string, Name extends string>(
  parent: Parent,
  path: Path,
  load: () => Promise<Record<Name, ComponentType>>,
  name: Name,
) => createRoute({ getParentRoute: () => parent, path, component: lazyRouteComponent(load, name) })

const open = [
  createRoute({
    getParentRoute: () => root,
    path: '/sign-in',
    validateSearch: (search: Record<string, unknown>): { back?: string } => {
      const back = text(search.back)
      // Only ever a path of this page, never another site.
      return back !== undefined && /^\/(?![/\\])/.test(back) ? { back } : {}
    },
    component: lazyRouteComponent(() => import('./pages/sign-in.tsx'), 'SignIn'),
  }),
  page(root, '/sign-up', () => import('./pages/sign-in.tsx'), 'SignUp'),
  page(root, '/confirm', () => import('./pages/email-links.tsx'), 'Confirm'),
  page(root, '/forgotten', () => import('./pages/email-links.tsx'), 'Forgotten'),
  page(root, '/reset', () => import('./pages/email-links.tsx'), 'Reset'),
  page(root, '/invitation', () => import('./pages/email-links.tsx'), 'Invitation'),
] as const

/**
 * A page of the server's own, to which a sign-in leads back: only a load of the whole page opens
 * it.
 */
const counter = createRoute({
  getParentRoute: () => root,
  path: '/counter/$accountId',
  beforeLoad: ({ params }) => {
    throw redirect({ href: `/dashboard/counter/${params.accountId}`, reloadDocument: true })
  },
})

const account = createRoute({
  getParentRoute: () => root,
  path: '/a/$accountId',
  component: AccountShell,
})

/** The fields of an address that a page knows, without the empty ones. */
const known = <Name extends string>(search: Record<string, unknown>, names: readonly Name[]) =>
  Object.fromEntries(
    names
      .map((name) => [name, text(String(search[name] ?? ''))])
      .filter(([, value]) => value !== undefined),
  ) as Partial<Record<Name, string>>

const MONEY_FILTERS = [
  'place',
  'connection',
  'settlement',
  'month',
  'day',
  'state',
  'order',
] as const
const REFUND_FIELDS = ['status', 'from', 'to'] as const
const FILTERS = ['search', 'status', 'operator', 'from', 'to', 'minimum', 'maximum'] as const

/** What staff look for: it stays in the address of what they find. */
const sought = (search: Record<string, unknown>): { search?: string } => known(search, ['search'])

const accountPages = [
  page(account, '/', () => import('./pages/home.tsx'), 'Home'),
  createRoute({
    getParentRoute: () => account,
    path: '/payments',
    validateSearch: (search: Record<string, unknown>): PaymentFilters => known(search, FILTERS),
    component: lazyRouteComponent(() => import('./pages/payments.tsx'), 'Payments'),
  }),
  createRoute({
    getParentRoute: () => account,
    path: '/refunds',
    validateSearch: (search: Record<string, unknown>): RefundFilters =>
      known(search, REFUND_FIELDS),
    component: lazyRouteComponent(() => import('./pages/refunds.tsx'), 'Refunds'),
  }),
  page(account, '/payments/$reference', () => import('./pages/payment.tsx'), 'Payment'),
  createRoute({
    getParentRoute: () => account,
    path: '/money/{-$part}',
    validateSearch: (search: Record<string, unknown>): MoneyFilters => known(search, MONEY_FILTERS),
    component: lazyRouteComponent(() => import('./pages/money.tsx'), 'Money'),
  }),
  page(account, '/links', () => import('./pages/links.tsx'), 'Links'),
  page(account, '/links/$reference', () => import('./pages/links.tsx'), 'Link'),
  page(account, '/developers/{-$part}', () => import('./pages/developers.tsx'), 'Developers'),
  page(account, '/phone', () => import('./pages/phone.tsx'), 'Phone'),
  page(account, '/account/{-$part}', () => import('./pages/account.tsx'), 'Account'),
] as const

const console = createRoute({
  getParentRoute: () => root,
  path: '/console',
  component: ConsoleShell,
})

const consolePages = [
  page(console, '/', () => import('./pages/console/figures.tsx'), 'Figures'),
  page(console, '/merchants', () => import('./pages/console/merchants.tsx'), 'Merchants'),
  page(console, '/merchants/$merchantId', () => import('./pages/console/merchant.tsx'), 'Merchant'),
  createRoute({
    getParentRoute: () => console,
    path: '/payments',
    validateSearch: sought,
    component: lazyRouteComponent(() => import('./pages/console/payments.tsx'), 'FindAnything'),
  }),
  createRoute({
    getParentRoute: () => console,
    path: '/payments/$reference',
    validateSearch: sought,
    component: lazyRouteComponent(() => import('./pages/console/payments.tsx'), 'AnyPayment'),
  }),
  page(console, '/tasks', () => import('./pages/console/tasks.tsx'), 'Tasks'),
  page(console, '/waiting', () => import('./pages/console/payments.tsx'), 'WaitingPayments'),
  page(console, '/connections', () => import('./pages/console/connections.tsx'), 'Connections'),
  createRoute({
    getParentRoute: () => console,
    path: '/differences',
    validateSearch: (search: Record<string, unknown>): MoneyFilters => known(search, MONEY_FILTERS),
    component: lazyRouteComponent(
      () => import('./pages/money/differences.tsx'),
      'ConsoleDifferences',
    ),
  }),
  page(console, '/files', () => import('./pages/money/files.tsx'), 'ConsoleFiles'),
  page(console, '/audit', () => import('./pages/console/audit.tsx'), 'Audit'),
  page(console, '/security', () => import('./pages/security.tsx'), 'OwnSecurity'),
] as const

const tree = root.addChildren([
  start,
  ...open,
  counter,
  account.addChildren(accountPages),
  console.addChildren(consolePages),
])

export const makeAppRouter = (client: QueryClient) =>
  createRouter({
    routeTree: tree,
    basepath: '/dashboard',
    context: { client },
    defaultPreload: 'intent',
    defaultErrorComponent: BrokenPage,
    scrollRestoration: true,
  })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof makeAppRouter>
  }
}
