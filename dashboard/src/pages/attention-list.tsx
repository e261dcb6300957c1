// What needs attention, in words, each with the page where something can be done about it.
import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Attention } from '../../../server/src/dashboard-api/shapes.ts'
import * as format from '../format.ts'
import { usePlace } from '../session/place.ts'
import { may } from '../session/session.ts'
import { useSpoken } from '../words/language.tsx'

interface Line {
  text: string
  tone: 'bad' | 'wait' | 'calm'
  page?: string
}

export function AttentionList({ attention }: { attention: readonly Attention[] }) {
  const { words, language } = useSpoken()
  const { home } = words.money
  const { accountId, role } = usePlace()
  const activity = may(role, 'seeActivity') ? { page: 'account/activity' } : {}
  const when = (at: number): string => format.dayAndTime(at, language)
  const lineOf = (each: Attention): Line => {
    switch (each.kind) {
      case 'endpoint_failing':
        return { text: home.endpointFailing(each.url, when(each.since)), tone: 'bad', page: 'developers/webhooks' }
      case 'key_ending':
        return { text: home.keyEnding(each.keyId, when(each.at)), tone: 'wait', page: 'developers/keys' }
      case 'operator_down':
        return { text: home.operatorDown(each.name, when(each.since)), tone: 'bad' }
      case 'account_not_validated':
        return { text: home.notValidated, tone: 'wait', page: 'account/business' }
      case 'account_suspended':
        return { text: home.suspended(each.reason ?? ''), tone: 'bad', page: 'account/business' }
      case 'no_endpoint':
        return { text: home.noEndpoint, tone: 'calm', page: 'developers/webhooks' }
      case 'viewed_by_service':
        return { text: home.viewedByService(each.by, when(each.at), each.reason), tone: 'calm', ...activity }
    }
  }
  return (
    <ul className="attention">
      {attention.map(lineOf).map(({ text, tone, page }) => (
        <li key={text} className={tone}>
          <span>{text}</span>
          {page !== undefined && (
            <Anchor
              component={Link}
              to={`/a/${accountId}/${page}`}
              c="inherit"
              fw={600}
              underline="always"
              aria-label={`${home.see} : ${text}`}
            >
              {home.see}
            </Anchor>
          )}
        </li>
      ))}
    </ul>
  )
}
