// The classic checkout: shows the field of the number only while the phone is chosen. WooCommerce
// replaces the payment methods whenever the cart changes, so the page is asked and not the field.
;(() => {
  const show = () => {
    const page = document.querySelector('input[name="karba_way"][value="page"]')
    const number = document.querySelector('.karba-number')
    if (page && number) number.hidden = page.checked
  }
  document.addEventListener('change', (event) => {
    if (event.target.name === 'karba_way') show()
  })
  // WooCommerce tells through jQuery only.
  window.jQuery?.(document.body).on('updated_checkout', show)
  show()
})()
