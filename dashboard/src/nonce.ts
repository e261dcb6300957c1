// The value that the server's policy wants on every <style> that a script adds. It is new with every load of the page.
export const styleNonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''
