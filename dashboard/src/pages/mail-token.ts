// The token of a link that came by mail. It is behind the #, which browsers send to nobody.
export function mailToken(): string {
  const inHash = new URLSearchParams(location.hash.slice(1)).get('token')
  return inHash ?? new URLSearchParams(location.search).get('token') ?? location.hash.slice(1)
}
