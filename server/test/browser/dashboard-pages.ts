// Every page of the dashboard by name, for the tests and the screenshots.
import { payment } from '../../../dashboard/dev/fixture-payments.ts'
import { LIVE, SANDBOX, SUSPENDED } from '../../../dashboard/dev/fixture-people.ts'
import type { Amount, Who } from '../../../dashboard/dev/fixture-world.ts'
import { FIXTURE_NOW } from '../kit/dashboard-page.ts'

export interface DashboardPage {
  name: string
  /** Below /dashboard. */
  path: string
  who: Who
}

export const AMOUNTS: readonly Amount[] = ['none', 'some', 'year']

const reference = (number: number): string => payment(number, FIXTURE_NOW).reference

const open = {
  'sign-in': '/sign-in',
  'sign-up': '/sign-up',
  confirm: '/confirm#t',
  forgotten: '/forgotten',
  reset: '/reset#t',
  invitation: '/invitation#t',
}

const live = {
  home: '',
  payments: '/payments',
  payment: `/payments/${reference(7)}`,
  links: '/links',
  link: '/links/lnk1',
  keys: '/developers',
  webhooks: '/developers/webhooks',
  deliveries: '/developers/deliveries',
  events: '/developers/events',
  requests: '/developers/requests',
  business: '/account',
  brand: '/account/brand',
  team: '/account/team',
  sites: '/account/sites',
  activity: '/account/activity',
  security: '/account/security',
}

const sandbox = { 'sandbox-home': '', 'sandbox-payment': `/payments/${reference(2)}`, phone: '/phone' }

const unconfirmed = { 'unconfirmed-home': '' }

const suspended = { 'suspended-home': '', 'suspended-payments': '/payments' }

const console = {
  figures: '',
  merchants: '/merchants',
  'any-payment': '/payments',
  tasks: '/tasks',
  waiting: '/waiting',
  connections: '/connections',
  audit: '/audit',
}

const pages = (table: Record<string, string>, before: string, who: Who): DashboardPage[] =>
  Object.entries(table).map(([name, path]) => ({ name, path: before + path, who }))

export const DASHBOARD_PAGES: readonly DashboardPage[] = [
  ...pages(open, '', 'nobody'),
  ...pages(live, `/a/${LIVE}`, 'owner'),
  ...pages(sandbox, `/a/${SANDBOX}`, 'owner'),
  ...pages(unconfirmed, `/a/${SANDBOX}`, 'newcomer'),
  ...pages(suspended, `/a/${SUSPENDED}`, 'owner'),
  ...pages(console, '/console', 'administrator'),
]
