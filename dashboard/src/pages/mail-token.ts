// The token of a link that came by mail. It is behind the #, which browsers send to nobody.
import { useEffect, useState } from 'react'

const tokenInAddress = (): string => location.hash.slice(1)

/** Also when a newer letter is opened in the same tab: the browser then changes what is behind the # and loads nothing. */
export function useMailToken(): string {
  const [token, setToken] = useState(tokenInAddress)
  useEffect(() => {
    const read = (): void => setToken(tokenInAddress())
    addEventListener('hashchange', read)
    return () => removeEventListener('hashchange', read)
  }, [])
  return token
}
