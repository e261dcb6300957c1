// The account that the page is about, from its address.
import { useParams } from '@tanstack/react-router'
import { type Place, placeOf, useSession } from './session.ts'

export function usePlace(): Place {
  const session = useSession()
  const { accountId = '' } = useParams({ strict: false })
  const place = placeOf(session, accountId)
  if (place === undefined) throw new Error('the shell shows accounts of the person only')
  return place
}
