// Hands an address to the phone's own sharing; where there is none, it is copied.
export async function shareOrCopy(what: { title: string; url: string }, copied: () => void): Promise<void> {
  try {
    if (typeof navigator.share === 'function') {
      await navigator.share(what)
      return
    }
    await navigator.clipboard.writeText(what.url)
    copied()
  } catch {
    // The person closed the sheet, or the browser allows neither: the address is on the page.
  }
}
