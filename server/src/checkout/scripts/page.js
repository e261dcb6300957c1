// What the pages do beyond HTML: notice that something changed, tell the site around a frame, print, copy. Every page works
// without it. `npm run minify` writes page.min.js, which is what is inlined.
;(() => {
  const page = document.body.dataset
  const find = (what) => document.querySelector(what)
  const line = find('[data-offline]') || { dataset: {} }
  const said = line.textContent
  let every = +page.every
  let wait = every
  let isAsking
  let isSent
  let timer

  // Buttons that only work with a script are hidden until there is one.
  const on = (name, work) => {
    const button = find(`[data-do=${name}]`)
    if (!button) return
    button.hidden = false
    button.onclick = () => work(button)
  }

  // To that origin and to no other.
  const tell = (status) => {
    if (page.frame && parent !== window)
      parent.postMessage({ source: 'karba', reference: page.reference, status }, page.frame)
  }

  const say = (text) => {
    if (line.textContent !== text) line.textContent = text
  }

  const ask = async () => {
    clearTimeout(timer)
    if (isAsking || document.hidden) return
    isAsking = true
    try {
      // A line that hangs counts as one that failed.
      const late = new Promise((_, fail) => setTimeout(fail, 15000))
      const { state } = await (await Promise.race([fetch(page.status, { cache: 'no-store' }), late])).json()
      if (!state) throw 0
      // And asks no more: on a slow line, going a second time would undo the first.
      if (state !== page.state) return location.replace(page.here)
      wait = every
      say(said)
    } catch (_) {
      wait = Math.min(wait * 2, 30000)
      say(line.dataset.offline)
    }
    isAsking = false
    timer = setTimeout(ask, wait)
  }

  if (every) {
    timer = setTimeout(ask, wait)
    document.addEventListener('visibilitychange', ask)
    addEventListener('online', ask)
  }

  // A second tap on a slow line sends nothing. Where a new tab opened, this page will soon have something to wait for.
  addEventListener('submit', (event) => {
    if (isSent) return event.preventDefault()
    isSent = true
    const { formTarget } = event.submitter || {}
    const again = () => {
      isSent = false
      if (formTarget) {
        every = 2500
        ask()
      }
    }
    setTimeout(again, formTarget ? 1500 : 9000)
  })

  // Going back shows a page as it was left, which may be long ago.
  addEventListener('pageshow', (event) => {
    if (event.persisted && page.here) location.replace(page.here)
  })

  const go = () => {
    location.href = page.back
  }
  const leaving = page.back && setTimeout(go, 8000)
  const stay = () => {
    clearTimeout(leaving)
    const note = find('[data-leaving]')
    if (note) note.hidden = true
  }
  on('stay', stay)
  on('print', () => {
    stay()
    print()
  })
  on('close', () => tell('closed_by_payer'))
  // The site around the frame does not hear the keys that are pressed within it.
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape') tell('closed_by_payer')
  })
  on('copy', (button) => {
    find('[readonly]').select()
    document.execCommand('copy')
    button.textContent = button.dataset.done
  })
  tell(page.now)
})()
