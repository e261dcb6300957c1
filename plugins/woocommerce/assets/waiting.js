// Asks the shop whether the payment has an outcome, and goes on when it has.
;(() => {
  const EVERY_MS = 3000
  const LATER_MS = 10000
  const LATER_AFTER_MS = 180000
  const box = document.querySelector('[data-karba-waiting]')
  if (!box) return
  const startedAt = Date.now()

  const showOutcome = (status) => {
    if (status.text) box.querySelector('.karba-waiting-text').textContent = status.text
    box.querySelector('.karba-again').hidden = status.is !== 'failed'
    if (status.go) window.location.assign(status.go)
    return status.is === 'paid' || status.is === 'failed'
  }
  const ask = async () => {
    let hasEnded = false
    try {
      const answer = await fetch(box.dataset.karbaWaiting, { cache: 'no-store' })
      if (answer.ok) hasEnded = showOutcome(await answer.json())
    } catch {
      // Without a network the page goes on asking.
    }
    if (!hasEnded) setTimeout(ask, Date.now() - startedAt > LATER_AFTER_MS ? LATER_MS : EVERY_MS)
  }
  setTimeout(ask, EVERY_MS)
})()
