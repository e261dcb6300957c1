// Every page and its address. Pages are loaded when they are first opened; the shells and the first page's parts come with the start.

import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'
import { firstAccount, sessionQuery } from './api/session.ts'
import type { PaymentFilters } from './pages/payments.tsx'
import { AccountShell } from './shell/account-shell.tsx'
import { ConsoleShell } from './shell/console-shell.tsx'
import { BrokenPage, MissingPage, Root } from './shell/root.tsx'

const root = createRootRouteWithContext<{ client: QueryClient }>()({ component: Root, notFoundComponent: MissingPage })

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: async ({ context }) => {
    const session = await context.client.ensureQueryData(sessionQuery)
    if (session === null) throw redirect({ to: '/sign-in', replace: true })
    const account = firstAccount(session)
    if (account !== undefined)
      throw redirect({ to: '/a/$accountId', params: { accountId: account.accountId }, replace: true })
    throw redirect({ to: '/console', replace: true })
  },
})

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
  createRoute({
    getParentRoute: () => root,
    path: '/sign-up',
    component: lazyRouteComponent(() => import('./pages/sign-in.tsx'), 'SignUp'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/confirm',
    component: lazyRouteComponent(() => import('./pages/email-links.tsx'), 'Confirm'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/forgotten',
    component: lazyRouteComponent(() => import('./pages/email-links.tsx'), 'Forgotten'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/reset',
    component: lazyRouteComponent(() => import('./pages/email-links.tsx'), 'Reset'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/invitation',
    component: lazyRouteComponent(() => import('./pages/email-links.tsx'), 'Invitation'),
  }),
]

const account = createRoute({ getParentRoute: () => root, path: '/a/$accountId', component: AccountShell })

const FILTERS = ['search', 'status', 'operator', 'from', 'to', 'minimum', 'maximum'] as const

const accountPages = [
  createRoute({
    getParentRoute: () => account,
    path: '/',
    component: lazyRouteComponent(() => import('./pages/home.tsx'), 'Home'),
  }),
  createRoute({
    getParentRoute: () => account,
    path: '/payments',
    validateSearch: (search: Record<string, unknown>): PaymentFilters =>
      Object.fromEntries(
        FILTERS.map((name) => [name, text(String(search[name] ?? ''))]).filter(([, value]) => value !== undefined),
      ),
    component: lazyRouteComponent(() => import('./pages/payments.tsx'), 'Payments'),
  }),
  createRoute({
    getParentRoute: () => account,
    path: '/payments/$reference',
    component: lazyRouteComponent(() => import('./pages/payment.tsx'), 'Payment'),
  }),
  createRoute({
    getParentRoute: () => account,
    path: '/links',
    component: lazyRouteComponent(() => import('./pages/links.tsx'), 'Links'),
  }),
  createRoute({
    getParentRoute: () => account,
    path: '/links/$reference',
    component: lazyRouteComponent(() => import('./pages/links.tsx'), 'Link'),
  }),
  createRoute({
    getParentRoute: () => account,
    path: '/developers/{-$part}',
    component: lazyRouteComponent(() => import('./pages/developers.tsx'), 'Developers'),
  }),
  createRoute({
    getParentRoute: () => account,
    path: '/phone',
    component: lazyRouteComponent(() => import('./pages/phone.tsx'), 'Phone'),
  }),
  createRoute({
    getParentRoute: () => account,
    path: '/account/{-$part}',
    component: lazyRouteComponent(() => import('./pages/account.tsx'), 'Account'),
  }),
]

const console = createRoute({ getParentRoute: () => root, path: '/console', component: ConsoleShell })

const consolePages = [
  createRoute({
    getParentRoute: () => console,
    path: '/',
    component: lazyRouteComponent(() => import('./pages/console/figures.tsx'), 'Figures'),
  }),
  createRoute({
    getParentRoute: () => console,
    path: '/merchants',
    component: lazyRouteComponent(() => import('./pages/console/merchants.tsx'), 'Merchants'),
  }),
  createRoute({
    getParentRoute: () => console,
    path: '/payments',
    component: lazyRouteComponent(() => import('./pages/console/payments.tsx'), 'AnyPayment'),
  }),
  createRoute({
    getParentRoute: () => console,
    path: '/tasks',
    component: lazyRouteComponent(() => import('./pages/console/tasks.tsx'), 'Tasks'),
  }),
  createRoute({
    getParentRoute: () => console,
    path: '/waiting',
    component: lazyRouteComponent(() => import('./pages/console/payments.tsx'), 'WaitingPayments'),
  }),
  createRoute({
    getParentRoute: () => console,
    path: '/connections',
    component: lazyRouteComponent(() => import('./pages/console/connections.tsx'), 'Connections'),
  }),
  createRoute({
    getParentRoute: () => console,
    path: '/audit',
    component: lazyRouteComponent(() => import('./pages/console/audit.tsx'), 'Audit'),
  }),
  createRoute({
    getParentRoute: () => console,
    path: '/security',
    component: lazyRouteComponent(() => import('./pages/security.tsx'), 'OwnSecurity'),
  }),
]

const tree = root.addChildren([start, ...open, account.addChildren(accountPages), console.addChildren(consolePages)])

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
