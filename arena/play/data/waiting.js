// The waiting page: shows how far the analysis is, and the page of the analysis when it is there.

const share = document.getElementById("share");
const label = document.querySelector("label");

async function follow() {
  let text;
  try {
    const response = await fetch(location.href);
    text = await response.text();
  } catch {
    const problem = document.createElement("p");
    problem.role = "alert";
    problem.textContent = "Zobra stopped before the analysis was done.";
    document.querySelector("main").append(problem);
    return;
  }
  const percent = text.match(/<progress id="share" max="100" value="(\d+)">/);
  if (percent === null) {
    location.reload();
    return;
  }
  share.value = percent[1];
  label.textContent = label.textContent.replace(/\d+/, percent[1]);
  setTimeout(follow, 1000);
}

if (share !== null) {
  setTimeout(follow, 1000);
}
