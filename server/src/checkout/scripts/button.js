// The button on a merchant's own site, served as /checkout.js: a click makes a payment link with
// the public key, shows its page in a frame or a tab, and reports the outcome to the site. The
// report is only for display: the merchant's server must read the payment back before it delivers.
// `npm run minify` wraps it in a function and writes button.min.js, which is what is served.

const home = new URL(document.currentScript.src).origin
const site = location.origin
const root = document.documentElement
// Without a prototype: the keys come from a page or an answer.
const ENDS = { __proto__: null, succeeded: 'Success', failed: 'Failure', refunded: 'Failure' }
const WORDS = {
  __proto__: null,
  fr: [
    'Paiement',
    'Fermer',
    'Un instant…',
    'Le paiement n’a pas pu commencer. Rien n’a été débité.',
    'Cette commande est déjà enregistrée. Si vous l’avez payée, ne payez pas de nouveau.',
  ],
  en: [
    'Payment',
    'Close',
    'One moment…',
    'The payment could not begin. Nothing was debited.',
    'This order is already recorded. If you have paid it, do not pay again.',
  ],
}
// The open frames and tabs by order: a second click on the same order shows the open one.
const views = {}
// Links by order, opened again instead of making a second one: unpaid ones, and those of paid
// orders that have a name, whose page is the receipt, each with the mark by which its page knows
// its payer. Some browsers forbid sessionStorage.
let links = {}
try {
  links = sessionStorage
} catch (_) {}

// Styled through the CSSOM: a site's content security policy may forbid style attributes, but not
// this.
const add = (parent, tag, style, extra) => {
  const made = parent.appendChild(document.createElement(tag))
  made.style.cssText = `all:initial;position:absolute;top:0;left:0;width:100%;height:100%;color:#fff;font:18px/1.5 system-ui;text-align:center;${style}`
  for (const name in extra) made.setAttribute(name, extra[name])
  return made
}

// Closed by Esc, by its cross, by the page inside, or by the site. Fills a phone's screen; on a
// larger one it is a card in the middle.
const openModal = ([title, close, wait, sorry, taken], onEnd) => {
  const veil = 'position:fixed;background:#131220cc;--g:clamp(0px,(100vw - 480px)*99,24px)'
  const dialog = add(document.body, 'dialog', veil, { 'aria-modal': true, 'aria-label': title })
  const box = add(
    dialog,
    'div',
    'height:auto;inset:var(--g) 0;margin:auto;max-width:440px;max-height:860px;border-radius:var(--g);overflow:hidden;background:#2b3583',
  )
  const note = add(box, 'p', 'top:40%;left:10%;width:80%', { role: 'status' })
  const frame = add(box, 'iframe', '', { title })
  // Covers the page's own close button; it stays when the page scrolls, and when the page could
  // not be loaded.
  const cross = add(
    box,
    'button',
    'top:3px;left:auto;right:12px;width:44px;height:44px;background:radial-gradient(#131220 17px,#0000 18px);outline:revert;cursor:pointer',
    { 'aria-label': close, autofocus: 1 },
  )
  const { overflow } = root.style
  let hear
  const end = () => dialog.close()
  // Only messages from Karba's origin and from this frame.
  const listen = ({ origin, source, data }) => {
    if (origin !== home || source !== frame.contentWindow || !data || data.source !== 'karba')
      return
    frame.focus()
    hear(data)
  }
  note.textContent = wait
  cross.textContent = '✕'
  cross.onclick = end
  dialog.onclose = () => {
    removeEventListener('message', listen)
    root.style.overflow = overflow
    dialog.remove()
    onEnd()
  }
  root.style.overflow = 'hidden'
  addEventListener('message', listen)
  dialog.showModal()
  return {
    end,
    show() {},
    go(url, onWord, { mark }) {
      hear = onWord
      frame.contentWindow.name = mark || ''
      frame.src = `${url}&embed=${encodeURIComponent(site)}`
    },
    fail(isTaken) {
      note.textContent = isTaken ? taken : sorry
    },
  }
}

// Opened before the link is made: after the request, browsers would block it as a pop-up.
const openTab = (words, onEnd) => {
  let tab = open('')
  let url
  if (!tab) return openModal(words, onEnd)
  tab.opener = null
  return {
    end: () => tab.close(),
    show() {
      if (tab.closed) tab = open(url)
      else tab.focus()
    },
    go(at, hear, { reference }) {
      // A tab on a provider's page can look closed from here while the payer is using it, so a
      // pending payment is polled until it ends.
      const ask = async () => {
        const isClosed = tab.closed
        const answer = await fetch(`${home}/api/v1/external_payments/${reference}`).catch(() => 0)
        const word = answer.ok ? await answer.json() : {}
        hear(word)
        if (ENDS[word.status] || (isClosed && word.status === 'initiated')) onEnd()
        else setTimeout(ask, 3000)
      }
      url = at
      tab.location.replace(at)
      ask()
    },
    fail(isTaken) {
      tab.close()
      openModal(words, onEnd).fail(isTaken)
    },
  }
}

const make = async (key, body) => {
  if (/^sk_/.test(key))
    throw Error(
      'STOP! A SECRET key is in this page, for all to read. Revoke it now; use the public key, pk_…',
    )
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const answer = await fetch(`${home}/checkout/links`, { method: 'POST', headers, body }).catch(
    () => {
      throw Error(
        `No answer from ${home} for this site. karba merchant checkout <account> --origins ${site}`,
      )
    },
  )
  const link = await answer.json()
  if (answer.ok) return link
  const param = answer.headers.get('svc-error-param')
  const error = Error(param ? `${link.message} (${param})` : link.message)
  // What the page wrote itself is for its developer to correct; who may pay here is not.
  error.isOfPage = answer.status === 400 || answer.status === 422
  throw error
}

// A signed order is signed again at each load of its page and stays the same order: its
// transaction_id is its name.
const nameIn = (order) => {
  try {
    return JSON.parse(atob(order.split('.')[0].replace(/-/g, '+').replace(/_/g, '/')))
      .transaction_id
  } catch (_) {}
}

// On the button too: many developers try it on a phone, without a console.
const showFault = (button, message) => {
  const shown =
    button.querySelector('[data-karba-fault]') ||
    button.appendChild(document.createElement('small'))
  shown.dataset.karbaFault = ''
  shown.textContent = ` ⚠ ${message}`
}

// Calls the site's handler and sends the event of the button.
const report = (outcome, detail, { button, [`on${outcome}`]: work }) => {
  // In a promise: an error in the site's handler is reported to the site and does not stop this
  // script.
  if (work) Promise.resolve(detail).then((it) => (window[work] || work)(it))
  if (button)
    button.dispatchEvent(
      new CustomEvent(`karba:${outcome.toLowerCase()}`, { bubbles: true, detail }),
    )
}

// One order, from the click to its outcome. The site learns one outcome, by `give`:
//
//   beginning  the link is found or made; the view is open and empty
//   shown      the view shows the link's page, and `hear` gets each status
//   given      `give` is 0: what is heard now, such as the receipt, is only stored
const pay = (wish) => {
  const { key, title, description, order, button } = wish
  const body = JSON.stringify({
    // A value that is no number is sent unchanged, so that the answer names the error.
    amount: +wish.amount || wish.amount,
    title,
    description,
    transaction_id: wish.transactionId,
    customer_name: wish.customerName,
    order,
  })
  const signedName = nameIn(order)
  const name = `karba ${key} ${signedName || body}`
  if (views[name]) {
    views[name].show()
    return views[name].promise
  }
  const lang = [wish.lang, root.lang.slice(0, 2), 'fr'].find((it) => WORDS[it])
  let link = {}
  let give

  const tell = (outcome, message) => {
    if (give) {
      const detail = {
        reference: link.reference,
        publicReference: link.public_reference,
        status: link.status || 'initiated',
        message,
      }
      give(detail)
      give = 0
      report(outcome, detail, wish)
    }
  }
  const openView = wish.mode === 'tab' || !window.HTMLDialogElement ? openTab : openModal
  const view = openView(WORDS[lang], () => {
    delete views[name]
    tell('Close')
  })
  const hear = ({ reference, status, mark }) => {
    if (reference !== link.reference) return
    if (status === 'closed_by_payer') return view.end()
    const end = ENDS[status]
    link.status = status
    link.mark = mark
    if (!end || (end === 'Success' && (signedName || wish.transactionId)))
      links[name] = JSON.stringify(link)
    else delete links[name]
    if (end) tell(end)
  }
  const begin = async (done) => {
    give = done
    try {
      link = JSON.parse(links[name] || '{}')
      if (!ENDS[link.status] && !(link.expires_at > new Date().toISOString()))
        link = await make(key, body)
      links[name] = JSON.stringify(link)
      if (give) view.go(`${home}/pay/${link.reference}?lang=${lang}`, hear, link)
    } catch ({ message, isOfPage }) {
      console.error(`Karba: the payment did not begin. ${message}`)
      if (button && isOfPage) showFault(button, message)
      if (give) view.fail(/^External/.test(message))
      link = { status: 'error' }
      tell('Failure', message)
    }
  }
  views[name] = view
  view.promise = new Promise(begin)
  return view.promise
}

// A page may load the script twice.
if (!window.Karba) {
  addEventListener('click', (event) => {
    const button = event.target.closest('[data-karba]')
    if (!button) return
    event.preventDefault()
    pay(Object.assign({ button }, button.dataset))
  })
  window.Karba = {
    pay,
    close() {
      for (const name in views) views[name].end()
    },
  }
}
