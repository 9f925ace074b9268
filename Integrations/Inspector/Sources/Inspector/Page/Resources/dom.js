"use strict";

const byId = (id) => document.getElementById(id);

/** Makes an element: `element("p", {class: "soft"}, "text", child)`. Text never becomes markup. */
function element(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** Makes an element of a drawing. */
function shape(tag, attributes, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "onclick") node.onclick = value;
    else if (name === "style") setStyle(node, value);
    else node.setAttribute(name, value);
  }
  for (const child of children) {
    if (child !== undefined && child !== null && child !== false) node.append(child);
  }
  return node;
}

/**
 * Sets the style of a node. The policy of the page forbids the attribute, not the property.
 *
 * The text is kept, because the one that the browser returns is rounded to six digits: 1080027px would come back as
 * 1.08003e+06px.
 */
function setStyle(node, text) {
  node.styleText = text;
  node.style.cssText = text;
}

/**
 * Makes the children of a node equal to others. What is the same stays the same element, so that the focus, a
 * selected text and the place of the scroll bar survive an update.
 */
function update(node, ...children) {
  let at = 0;
  for (let child of children) {
    if (child === undefined || child === null || child === false) continue;
    if (typeof child === "string") child = document.createTextNode(child);
    const old = node.childNodes[at];
    if (!old) node.append(child);
    else if (old !== child && (child.parentNode === node || !merge(old, child))) node.insertBefore(child, old);
    at += 1;
  }
  trim(node, at);
}

/** Makes the children of a node these elements, which keep their contents. */
function place(node, children) {
  children.forEach((child, at) => {
    if (node.childNodes[at] !== child) node.insertBefore(child, node.childNodes[at] || null);
  });
  trim(node, children.length);
}

function trim(node, count) {
  while (node.childNodes.length > count) node.lastChild.remove();
}

/** Makes a node equal to another of its kind; returns `false` if it is of another kind. */
function merge(old, fresh) {
  if (old.nodeName !== fresh.nodeName || old.dataset?.key !== fresh.dataset?.key) return false;
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== fresh.data) old.data = fresh.data;
    return true;
  }
  for (const name of old.getAttributeNames()) {
    if (name !== "style" && !fresh.hasAttribute(name)) old.removeAttribute(name);
  }
  for (const name of fresh.getAttributeNames()) {
    const value = fresh.getAttribute(name);
    if (name !== "style" && old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  if ((old.styleText || "") !== (fresh.styleText || "")) setStyle(old, fresh.styleText || "");
  old.onclick = fresh.onclick;
  update(old, ...fresh.childNodes);
  return true;
}
