// The token of a link that came by mail. It is behind the #, which browsers send to nobody.
export const mailToken = (): string => decodeURIComponent(location.hash.slice(1))
