"""Room: a class rates a list on its phones, and the lecturer's screen fills in."""

from metamf.webapp import frame, look
from metamf.webapp.rooms import here
from metamf.webapp.rooms.entrance import entrance
from metamf.webapp.rooms.lecturer import lecturer_view
from metamf.webapp.rooms.student import student_view
from metamf.webapp.rooms.style import style

frame.ensure()
style()
look.hide_controls()
if here.is_student():
    student_view()
elif (key := here.lecturer_key()) is not None:
    lecturer_view(key)
else:
    entrance()
