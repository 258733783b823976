/* Explanations of the words that metamf/webapp/glossary.py marks: on hover, on focus and on touch; Escape closes. */

const GAP = 6 // pixels between word and box; chosen by hand
const GRACE = 250 // milliseconds in which the pointer gets from the word into the box; chosen by hand

/** @param {{data: Record<string, string>}} mounted the meaning of each term by its key */
export default function ({ data }) {
  document.querySelector(".mf-meanings")?.remove()
  document.querySelector(".mf-meaning")?.remove()
  const page = document.querySelector(".stApp") ?? document.body
  const meanings = page.appendChild(document.createElement("div")) // what the buttons are described by
  meanings.className = "mf-meanings"
  meanings.hidden = true
  for (const [key, meaning] of Object.entries(data)) {
    const line = meanings.appendChild(document.createElement("p"))
    line.id = `mf-meaning-${key}`
    line.textContent = meaning
  }
  const box = page.appendChild(document.createElement("div"))
  box.className = "mf-meaning"
  box.setAttribute("role", "tooltip")
  box.setAttribute("aria-hidden", "true") // the word is described by the hidden text already
  box.hidden = true

  /** @type {HTMLElement | null} */
  let word = null
  let timer = 0

  const close = () => {
    clearTimeout(timer)
    word?.removeAttribute("data-open")
    word = null
    box.hidden = true
  }

  /** @param {HTMLElement} next */
  const open = next => {
    clearTimeout(timer)
    if (next === word) return
    close()
    word = next
    word.setAttribute("data-open", "")
    const name = document.createElement("b")
    name.textContent = word.textContent
    box.replaceChildren(name, data[word.dataset.term ?? ""] ?? "")
    box.hidden = false
    const at = word.getBoundingClientRect()
    const { width, height } = box.getBoundingClientRect()
    const below = at.bottom + GAP + height <= innerHeight || at.top < height + GAP
    box.style.left = `${Math.max(8, Math.min(at.left, innerWidth - width - 8))}px`
    box.style.top = `${below ? at.bottom + GAP : at.top - GAP - height}px`
  }

  /** @param {Event} event */
  const term = event => /** @type {HTMLElement|null} */ (event.target instanceof Element ? event.target.closest(".mf-term") : null)
  /** @param {Event} event */
  const inside = event => event.target instanceof Node && box.contains(event.target)

  const looking = setInterval(() => { // metamf/webapp/first_paint.py put it there, until the page has come
    const works = page.getAttribute("data-test-script-state") !== "notRunning" || page.querySelector("[data-testid=stSkeleton]")
    if (works) return
    document.getElementById("mf-before")?.remove()
    clearInterval(looking)
  }, 200)

  const listening = new AbortController()
  /** @type {(name: string, act: (event: any) => void) => void} */
  const on = (name, act) => document.addEventListener(name, act, { signal: listening.signal, capture: true })
  on("pointerover", event => {
    if (event.pointerType === "touch") return
    const next = term(event)
    if (next) open(next)
    else if (inside(event)) clearTimeout(timer)
    else if (word && word !== document.activeElement) {
      clearTimeout(timer)
      timer = window.setTimeout(close, GRACE)
    }
  })
  on("focusin", event => {
    const next = term(event)
    if (next) open(next)
    else close()
  })
  on("focusout", event => term(event) && !inside(event) && close())
  on("click", event => {
    const next = term(event)
    if (next) open(next)
    else if (!inside(event)) close()
  })
  on("keydown", event => {
    if (event.key !== "Escape" || !word) return
    event.stopPropagation() // it closes this box and nothing else
    close()
  })
  on("scroll", close)
  return () => {
    clearInterval(looking)
    listening.abort()
    meanings.remove()
    box.remove()
  }
}
