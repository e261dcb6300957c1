// The headers of the dashboard's pages: nothing from elsewhere, no script in the page itself, no frame around it.

/** `styleNonce` lets the page's own style elements work; scripts are files of ours and nothing else. */
export function pageHeaders({ styleNonce }: { styleNonce?: string } = {}): Record<string, string> {
  const styles = styleNonce === undefined ? "'self'" : `'self' 'nonce-${styleNonce}'`
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles}`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ]
  return {
    'content-security-policy': policy.join('; '),
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=()',
  }
}
